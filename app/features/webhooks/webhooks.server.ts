import { lockAdmin } from '~/features/administration/admins.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { WEBHOOK_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, Invalid, NoSuch } from '~/lib/errors.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { encryptSecret } from '~/platform/encryption.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { type Outcome, secretPurpose, sendNow } from './sending/delivery.server.ts'
import { addressFault } from './sending/guarded-post.server.ts'
import { newSecret } from './sending/signature.server.ts'
import {
	deleteWebhookRow,
	findDelivery,
	insertTest,
	insertWebhook,
	listDeliveryRows,
	listWebhookRows,
	updateWebhook,
	type WebhookRow,
} from './webhooks.queries.server.ts'
import { type WebhookInput, webhookInput } from './webhooks.schema.ts'
import { type DeliveryView, type WebhookView, webhookLimits } from './webhooks.view.ts'

/*
 * Managing webhooks. Each change is one transaction with its entry in the log. All functions throw NotAllowed unless the viewer is an
 * admin who may write, and NotFound for an unknown webhook.
 */

/** Deliveries on the page of a webhook. */
const SHOWN_DELIVERIES = 50

/** All webhooks, by name. */
export async function listWebhooks(viewer: Viewer): Promise<WebhookView[]> {
	requireAdmin(viewer)
	return (await listWebhookRows()).map(presentWebhook)
}

/** A webhook with its newest deliveries. */
export async function getWebhook(
	viewer: Viewer,
	id: number,
): Promise<{ webhook: WebhookView; deliveries: DeliveryView[] }> {
	requireAdmin(viewer)
	const [webhook, deliveries] = await Promise.all([requireWebhook(id), listDeliveryRows(id, SHOWN_DELIVERIES)])
	return {
		webhook: presentWebhook(webhook),
		deliveries: deliveries.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at.toISOString() })),
	}
}

/**
 * Adds a webhook.
 * @param input name, url, events (a list)
 * @returns its id, and its secret, which is shown once
 * @throws Invalid, Conflict where there are too many
 */
export async function addWebhook(viewer: Viewer, input: Input): Promise<{ id: number; secret: string }> {
	const wanted = parseInput(webhookInput, input)
	requireSendable(wanted)
	const secret = newSecret()
	const id = await change(viewer, async (trx, log) => {
		const { length } = await listWebhookRows(null, trx)
		if (length >= webhookLimits.perSite) throw new Conflict(`A site has at most ${webhookLimits.perSite} webhooks.`)
		const added = await insertWebhook(trx, wanted)
		await updateWebhook(trx, added, { secret: encryptSecret(secretPurpose(added), secret) })
		await log('add a webhook', { id: added, name: wanted.name })
		return added
	})
	return { id, secret }
}

/** Saves name, address, events and whether it is switched on. @throws Invalid */
export async function saveWebhook(viewer: Viewer, id: number, input: Input): Promise<void> {
	const wanted = parseInput(webhookInput, input)
	await change(viewer, async (trx, log) => {
		const before = await requireWebhook(id, trx)
		const isNew = wanted.url !== before.url
		// One that may not be sent to any more can still be switched off.
		if (isNew || wanted.enabled) requireSendable(wanted)
		const isAnew = isNew || (wanted.enabled && !before.enabled)
		await updateWebhook(trx, id, isAnew ? { ...wanted, failing_since: null } : wanted)
		await log('change a webhook', { id, name: wanted.name }, changesOf(before, wanted))
	})
}

/** Replaces the secret; the former one signs nothing any more. @returns the new one, which is shown once */
export async function replaceSecret(viewer: Viewer, id: number): Promise<string> {
	const secret = newSecret()
	await change(viewer, async (trx, log) => {
		const webhook = await requireWebhook(id, trx)
		await updateWebhook(trx, id, { secret: encryptSecret(secretPurpose(id), secret) })
		await log('replace the secret of a webhook', webhook)
	})
	return secret
}

/** Deletes a webhook; what waits is not sent. */
export async function deleteWebhook(viewer: Viewer, id: number): Promise<void> {
	await change(viewer, async (trx, log) => {
		const webhook = await requireWebhook(id, trx)
		await deleteWebhookRow(trx, id)
		await log('delete a webhook', webhook)
	})
}

/** Sends a test, now and once, also by a webhook that is switched off. */
export async function testWebhook(viewer: Viewer, id: number): Promise<Outcome> {
	const test = await change(viewer, async (trx) => {
		await requireWebhook(id, trx)
		return insertTest(trx, id)
	})
	return sendAgain(viewer, id, test)
}

/** Sends a delivery of a webhook, now and once, with what it is about as that is now. @throws Conflict while it waits for its next try */
export async function sendAgain(viewer: Viewer, id: number, deliveryId: string): Promise<Outcome> {
	await change(viewer, (trx) => requireWebhook(id, trx))
	const row = /^[\da-f-]{36}$/.test(deliveryId) ? await findDelivery(deliveryId) : undefined
	if (row?.webhook_id !== id) throw new NoSuch('delivery')
	if (row.state === 'waiting') throw new Conflict('It still waits for its next try.')
	return sendNow(row)
}

/** @throws Invalid for an address to which nothing would be sent */
function requireSendable({ url }: WebhookInput): void {
	const fault = addressFault(url)
	if (fault) throw new Invalid(fault, { url: fault })
}

type Log = (act: string, webhook: { id: number; name: string }, note?: string) => Promise<void>

/** Locks the admin's row, so that one who has just lost the role changes nothing. */
async function change<Result>(viewer: Viewer, work: (trx: Executor, log: Log) => Promise<Result>): Promise<Result> {
	const admin: SignedIn = requireAdmin(viewer)
	return db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, admin)
			return work(trx, (act, { id, name }, note = '') =>
				addLogRow(trx, {
					actorId: admin.id,
					act,
					kind: WEBHOOK_SUBJECT,
					targetId: id,
					memberId: admin.id,
					title: name,
					note,
				}),
			)
		})
}

async function requireWebhook(id: number, executor: Executor = db()): Promise<WebhookRow> {
	const [row] = isId(id) ? await listWebhookRows(id, executor) : []
	if (!row) throw new NoSuch('webhook')
	return row
}

function changesOf(before: WebhookRow, { name, url, events, enabled }: WebhookInput): string {
	const changes = [
		before.name !== name && `“${before.name}” → “${name}”`,
		before.url !== url && 'address',
		before.events.join() !== events.join() && 'events',
		before.enabled !== enabled && (enabled ? 'switched on' : 'switched off'),
	]
	return changes.filter(Boolean).join(', ')
}

function presentWebhook({ failing_since, last_sent_at, ...row }: WebhookRow): WebhookView {
	return {
		...row,
		failingSince: failing_since?.toISOString() ?? null,
		lastSentAt: last_sent_at?.toISOString() ?? null,
	}
}
