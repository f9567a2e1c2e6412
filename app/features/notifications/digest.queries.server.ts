import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Channel } from './channels.ts'

export interface DueMember {
	user_id: number
	name: string
	email: string
	unread: number
}

/** No mail is ever due later than a day from now; one that is was planned before the machine's clock was set back. */
const latest = sql.raw("interval '25 hours'")

/** Members for whom it is time to look, locked until the transaction ends; another process takes others. */
export async function takeDue(trx: Executor, limit: number): Promise<DueMember[]> {
	const { rows } = await sql<DueMember>`
		select user_id, name, email, unread from notification_boxes join users on users.id = user_id
		where (mail_due_at <= now() or mail_due_at > now() + ${latest}) and (suspended_until is null or suspended_until <= now()) order by mail_due_at limit ${limit} for update of notification_boxes skip locked`.execute(
		trx,
	)
	return rows
}

export interface UnseenRow {
	kind: string
	act: string
	reason: string
	people: number
	name: string | null
	title: string
	url: string
}

/** Takes what a member has neither read nor seen nor been mailed, without muted questions; it is taken once. Newest first. */
export async function takeUnseen(trx: Executor, userId: number): Promise<UnseenRow[]> {
	const { rows } = await sql<UnseenRow>`
		with taken as (
			update notifications set mailed_at = now()
			where user_id = ${userId} and by_mail and read_at is null and seen_at is null and mailed_at is null
				and not exists (select from muted_threads
					where muted_threads.user_id = notifications.user_id and muted_threads.question_id = notifications.question_id)
			returning id, kind, act, reason, actor_ids, title, url, updated_at
		)
		select kind, act, reason, cardinality(actor_ids) as people, users.name, title, url
		from taken left join users on users.id = actor_ids[1]
		order by taken.updated_at desc, taken.id desc limit 50`.execute(trx)
	return rows
}

/** Nothing waits for this member any more. @param mailed whether a mail was made */
export async function settle(trx: Executor, userId: number, mailed: boolean): Promise<void> {
	await sql`update notification_boxes
		set mail_due_at = null, mailed_at = case when ${mailed} then now() else mailed_at end
		where user_id = ${userId}`.execute(trx)
}

export interface PreferencesRow {
	mail: 'daily' | 'off'
	kinds: ({ kind: string } & Record<Channel, boolean>)[]
}

/** What a member chose; only what differs from the default is stored. */
export async function findPreferences(userId: number): Promise<PreferencesRow> {
	const { rows } = await sql<PreferencesRow>`select
		coalesce((select mail from notification_boxes where user_id = ${userId}), 'daily') as mail,
		coalesce((select json_agg(json_build_object('kind', kind, 'site', site, 'mail', mail, 'push', push))
			from notification_preferences where user_id = ${userId}), '[]') as kinds`.execute(db())
	return rows[0] ?? { mail: 'daily', kinds: [] }
}

/** Stores what a member chose, whole. */
export async function storePreferences(trx: Executor, userId: number, { mail, kinds }: PreferencesRow): Promise<void> {
	await setMail(trx, userId, mail)
	await sql`delete from notification_preferences where user_id = ${userId}`.execute(trx)
	await sql`insert into notification_preferences (user_id, kind, site, mail, push)
		select ${userId}, kind, site, mail, push
		from json_to_recordset(${JSON.stringify(kinds)}::json) as chosen (kind text, site boolean, mail boolean, push boolean)
		where not (site and mail and push)`.execute(trx)
}

/** Turns mails on or off. @returns false when there is no such member */
export async function setMail(trx: Executor, userId: number, mail: 'daily' | 'off'): Promise<boolean> {
	const { rows } = await sql`insert into notification_boxes (user_id, mail)
		select id, ${mail} from users where id = ${userId}
		on conflict (user_id) do update set mail = excluded.mail,
			mail_due_at = case when excluded.mail = 'off' then null else notification_boxes.mail_due_at end
		returning user_id`.execute(trx)
	return rows.length > 0
}

/** Ends the mails of one kind. @returns false when there is no such member */
export async function refuseMailsOf(userId: number, kind: string): Promise<boolean> {
	const { rows } = await sql`insert into notification_preferences (user_id, kind, site, mail)
		select id, ${kind}, true, false from users where id = ${userId}
		on conflict (user_id, kind) do update set mail = false returning user_id`.execute(db())
	return rows.length > 0
}
