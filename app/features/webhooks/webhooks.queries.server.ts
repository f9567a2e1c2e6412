import { type Generated, type GeneratedAlways, sql } from 'kysely'
import { isListed } from '~/features/members/members.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'
import type { WebhookInput } from './webhooks.schema.ts'
import { type DeliveryState, TEST_EVENT, type WebhookEvent } from './webhooks.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		webhooks: {
			id: GeneratedAlways<number>
			name: string
			url: string
			events: WebhookEvent[]
			secret: string
			enabled: Generated<boolean>
			failing_since: Date | null
			created_at: Generated<Date>
		}
		webhook_deliveries: {
			id: Generated<string>
			webhook_id: number
			event: WebhookEvent | typeof TEST_EVENT
			subject_id: number | null
			state: Generated<DeliveryState>
			tries: Generated<number>
			status: number | null
			error: Generated<string>
			created_at: Generated<Date>
			tried_at: Date | null
		}
	}
}

export interface WebhookRow {
	id: number
	name: string
	url: string
	events: WebhookEvent[]
	enabled: boolean
	failing_since: Date | null
	last_sent_at: Date | null
}

/** All webhooks by name, or the one with this id; a site has few. */
export async function listWebhookRows(id: number | null = null, executor: Executor = db()): Promise<WebhookRow[]> {
	const { rows } = await sql<WebhookRow>`
		select id, name, url, events, enabled, failing_since, (
			select tried_at from webhook_deliveries where webhook_id = webhooks.id and state = 'sent' order by created_at desc limit 1
		) as last_sent_at
		from webhooks where ${id}::int is null or id = ${id} order by lower(name), id limit 100`.execute(executor)
	return rows
}

/** Adds a webhook that has no secret yet. @returns its id */
export async function insertWebhook(trx: Executor, input: WebhookInput): Promise<number> {
	const added = trx.insertInto('webhooks').values({ ...input, enabled: true, secret: '' })
	const { id } = await added.returning('id').executeTakeFirstOrThrow()
	return id
}

/** Sets columns of a webhook. One that is switched on again, or has another address, has not failed yet. */
export async function updateWebhook(
	trx: Executor,
	id: number,
	change: (WebhookInput & { failing_since?: null }) | { secret: string },
): Promise<void> {
	await trx.updateTable('webhooks').set(change).where('id', '=', id).execute()
}

/** Deletes a webhook with its deliveries. */
export async function deleteWebhookRow(trx: Executor, id: number): Promise<void> {
	await trx.deleteFrom('webhooks').where('id', '=', id).execute()
}

export interface DeliveryRow {
	id: string
	webhook_id: number
	event: WebhookEvent | typeof TEST_EVENT
	subject_id: number | null
	state: DeliveryState
	tries: number
	created_at: Date
	/** Of its webhook. */
	name: string
	url: string
	secret: string
	enabled: boolean
}

/** A delivery with its webhook. */
export async function findDelivery(id: string): Promise<DeliveryRow | undefined> {
	const { rows } = await sql<DeliveryRow>`
		select d.id, d.webhook_id, d.event, d.subject_id, d.state, d.tries, d.created_at, w.name, w.url, w.secret, w.enabled
		from webhook_deliveries d join webhooks w on w.id = d.webhook_id where d.id = ${id}`.execute(db())
	return rows[0]
}

/** The newest deliveries of a webhook. */
export function listDeliveryRows(webhookId: number, limit: number) {
	return db()
		.selectFrom('webhook_deliveries')
		.select(['id', 'event', 'state', 'tries', 'status', 'error', 'created_at'])
		.where('webhook_id', '=', webhookId)
		.orderBy('created_at', 'desc')
		.limit(limit)
		.execute()
}

/** Adds the delivery of a test, which no job sends. @returns its id */
export async function insertTest(trx: Executor, webhookId: number): Promise<string> {
	const test = { webhook_id: webhookId, event: TEST_EVENT, state: 'failed', error: 'It was not sent.' } as const
	const added = trx.insertInto('webhook_deliveries').values(test)
	const { id } = await added.returning('id').executeTakeFirstOrThrow()
	return id
}

/** Records how a try ended. */
export async function recordTry(
	executor: Executor,
	id: string,
	{ state, status, error }: { state: DeliveryState; status: number | null; error: string },
): Promise<void> {
	await sql`
		update webhook_deliveries set state = ${state}, status = ${status}, error = ${error}, tries = tries + 1, tried_at = now()
		where id = ${id}`.execute(executor)
}

/** Adds the jobs of deliveries that wait without one, as theirs was given up or removed. */
export async function queueForgotten(): Promise<void> {
	await sql`
		select queue_delivery(id) from webhook_deliveries where state = 'waiting' and not exists (
			select from graphile_worker.jobs where key = 'webhook ' || webhook_deliveries.id and attempts < max_attempts
		) limit 1000`.execute(db())
}

/** Notes since when a webhook has only failed, or that it works. */
export async function recordHealth(executor: Executor, webhookId: number, isFailing: boolean): Promise<void> {
	await sql`
		update webhooks set failing_since = case when ${isFailing} then now() end
		where id = ${webhookId} and (failing_since is null) = ${isFailing}`.execute(executor)
}

/** Switches off a webhook that has only failed for so many days. @returns whether it did */
export async function switchOff(trx: Executor, webhookId: number, days: number): Promise<boolean> {
	const { numAffectedRows = 0n } = await sql`
		update webhooks set enabled = false
		where id = ${webhookId} and enabled and failing_since < now() - make_interval(days => ${days})`.execute(trx)
	return numAffectedRows > 0n
}

/** A member as every list of members shows them; undefined for one that lists leave out. */
export async function findJoinedMember(
	id: number,
): Promise<{ username: string; name: string; joinedAt: string } | undefined> {
	const { rows } = await sql<{ username: string; name: string; joinedAt: string }>`
		select username, name, ${isoSeconds('created_at')} as "joinedAt" from users where id = ${id} and ${isListed}`.execute(
		db(),
	)
	return rows[0]
}

/** The subject of a case. */
export function findReportedCase(id: number): Promise<{ kind: string; target_id: number } | undefined> {
	return db().selectFrom('cases').select(['kind', 'target_id']).where('id', '=', id).executeTakeFirst()
}
