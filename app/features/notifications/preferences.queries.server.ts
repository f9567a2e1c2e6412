import { sql } from 'kysely'
import { isWithheldFrom } from '~/features/bounces/bounces.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { thisWeek } from './digest.queries.server.ts'
import type { SubjectRef } from './notifications.queries.server.ts'
import type { Channel } from './notifications.view.ts'

/* What members want to be notified of: mails, kinds, and the subjects that they mute. */

interface PreferencesRow {
	mail: 'daily' | 'off'
	/** Whether they want the weekly mail. */
	weekly: boolean
	kinds: ({ kind: string } & Record<Channel, boolean>)[]
}

/** A member's preferences, of which only those that differ from the default are stored. Also whether mails to them are withheld. */
export async function findPreferences(userId: number): Promise<PreferencesRow & { is_withheld: boolean }> {
	const { rows } = await sql<PreferencesRow & { is_withheld: boolean }>`select ${isWithheldFrom(userId)} as is_withheld,
		coalesce((select mail from notification_boxes where user_id = ${userId}), 'daily') as mail,
		coalesce((select weekly from notification_boxes where user_id = ${userId}), false) as weekly,
		coalesce((select json_agg(json_build_object('kind', kind, 'site', site, 'mail', mail, 'push', push))
			from notification_preferences where user_id = ${userId}), '[]') as kinds`.execute(db())
	return rows[0] ?? { mail: 'daily', weekly: false, kinds: [], is_withheld: false }
}

/** Stores a member's preferences, of the kinds that are named. */
export async function storePreferences(
	trx: Executor,
	userId: number,
	{ mail, weekly, kinds }: PreferencesRow,
): Promise<void> {
	await setMail(trx, userId, mail)
	await setWeekly(trx, userId, weekly)
	const named = kinds.map(({ kind }) => kind)
	await sql`delete from notification_preferences where user_id = ${userId} and kind = any(${named})`.execute(trx)
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

/**
 * Turns the weekly mail on or off: the first one is sent in the following week, about what is new from now on. @returns
 * false when there is no such member
 */
export async function setWeekly(trx: Executor, userId: number, weekly: boolean): Promise<boolean> {
	const { rows } = await sql`insert into notification_boxes as box (user_id, weekly, weekly_of, weekly_since)
		select id, ${weekly}, ${thisWeek()}, now() from users where id = ${userId}
		on conflict (user_id) do update set weekly = excluded.weekly,
			weekly_of = case when box.weekly then box.weekly_of else excluded.weekly_of end,
			weekly_since = case when box.weekly then box.weekly_since else excluded.weekly_since end
		returning user_id`.execute(trx)
	return rows.length > 0
}

/** Turns off mails of one kind. @returns false when there is no such member */
export async function disableMailsOf(userId: number, kind: string): Promise<boolean> {
	const { rows } = await sql`insert into notification_preferences (user_id, kind, site, mail)
		select id, ${kind}, true, false from users where id = ${userId}
		on conflict (user_id, kind) do update set mail = false returning user_id`.execute(db())
	return rows.length > 0
}

/** Mutes a subject, or unmutes it. */
export async function writeMutedSubject(
	trx: Executor,
	userId: number,
	{ type, id }: SubjectRef,
	muted: boolean,
): Promise<void> {
	await (muted
		? sql`insert into muted_subjects (user_id, subject_type, subject_id) values (${userId}, ${type}, ${id}) on conflict do nothing`
		: sql`delete from muted_subjects where user_id = ${userId} and subject_type = ${type} and subject_id = ${id}`
	).execute(trx)
}

/** How many other subjects of a type a member mutes. */
export async function countMuted(trx: Executor, userId: number, { type, id }: SubjectRef): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from muted_subjects
		where user_id = ${userId} and subject_type = ${type} and subject_id <> ${id}`.execute(trx)
	return rows[0]?.count ?? 0
}
