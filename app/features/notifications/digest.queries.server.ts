import { type RawBuilder, sql } from 'kysely'
import { isWithheldFrom } from '~/features/bounces/bounces.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoTime } from '~/platform/db/sql-text.server.ts'
import { mondayOf } from '~/platform/settings/region.server.ts'
import type { UnseenEvents } from './kinds.server.ts'
import type { Channel } from './notifications.view.ts'

export interface DueMember {
	user_id: number
	name: string
	email: string
	unread: number
}

/** No mail is ever scheduled later than a day from now; a later one is from before the machine's clock was set back. */
const latest = sql.raw("interval '25 hours'")

/** SQL condition: a decision of a moderator about the member waits to be mailed, which they are told even if they are suspended. */
const isDecidedAbout = sql.raw(`exists (select from notifications decision
	where decision.user_id = users.id and decision.kind = 'moderation' and decision.by_mail
		and decision.read_at is null and decision.seen_at is null and decision.mailed_at is null)`)

/** Locks members whose mail is due, without those in `except`; other processes skip them. */
export async function lockDueMembers(
	trx: Executor,
	{ limit, except }: { limit: number; except: number[] },
): Promise<DueMember[]> {
	const { rows } = await sql<DueMember>`
		select user_id, name, email, unread from notification_boxes join users on users.id = user_id
		where (mail_due_at <= now() or mail_due_at > now() + ${latest})
			and (suspended_until is null or suspended_until <= now() or ${isDecidedAbout})
			and leaves_at is null and user_id <> all(${except}::int[])
		order by mail_due_at limit ${limit} for update of notification_boxes skip locked`.execute(trx)
	return rows
}

export interface UnseenNotification {
	kind: string
	act: string
	reason: string
	people: number
	name: string | null
	title: string
	url: string
	/** How many were taken in all. */
	taken: number
}

/** Notifications in one mail. */
const MAX_ITEMS = 50

/**
 * Takes the notifications that a member has neither read nor seen nor been mailed, each once. Leaves out kinds whose mails they have turned
 * off since, and muted subjects except for moderators' decisions about the member.
 * @returns the newest of them, at most 50
 */
export async function claimUnseen(trx: Executor, userId: number): Promise<UnseenNotification[]> {
	const { rows } = await sql<UnseenNotification>`
		with taken as (
			update notifications set mailed_at = now()
			where user_id = ${userId} and by_mail and read_at is null and seen_at is null and mailed_at is null
				and (kind = 'moderation' or not exists (select from muted_subjects m where m.user_id = notifications.user_id
					and m.subject_type = notifications.subject_type and m.subject_id = notifications.subject_id))
				and not exists (select from notification_preferences as chosen
					where chosen.user_id = notifications.user_id and chosen.kind = notifications.kind and not chosen.mail)
			returning id, kind, act, reason, actor_ids, title, url, updated_at
		)
		select kind, act, reason, cardinality(actor_ids) as people, users.name, title, url, count(*) over ()::int as taken
		from taken left join users on users.id = actor_ids[1]
		order by taken.updated_at desc, taken.id desc limit ${MAX_ITEMS}`.execute(trx)
	return rows
}

/** Clears the due date of a member's mail. @param mailed whether a mail was made */
export async function clearDueMail(trx: Executor, userId: number, mailed: boolean): Promise<void> {
	await sql`update notification_boxes
		set mail_due_at = null, mailed_at = case when ${mailed} then now() else mailed_at end
		where user_id = ${userId}`.execute(trx)
}

/** SQL: up to which id a member was mailed of a subject of an `UnseenSource`; 0 for none. */
export function mailedUpTo(
	subjectType: string,
	{ userId, subjectId }: { userId: RawBuilder<unknown>; subjectId: RawBuilder<unknown> },
): RawBuilder<number> {
	return sql`coalesce((select mailed.upto from mailed_subjects as mailed where mailed.user_id = ${userId}
		and mailed.subject_type = ${subjectType} and mailed.subject_id = ${subjectId}), 0)`
}

/** SQL condition: a member wants mails of a kind, and is neither imported, suspended nor leaving. */
export function wantsMail(kind: string, userId: RawBuilder<unknown>): RawBuilder<boolean> {
	return sql`(exists (select from users as wanting where wanting.id = ${userId} and not wanting.imported
			and wanting.leaves_at is null and (wanting.suspended_until is null or wanting.suspended_until <= now()))
		and not exists (select from notification_boxes as box where box.user_id = ${userId} and box.mail = 'off')
		and not exists (select from notification_preferences as chosen
			where chosen.user_id = ${userId} and chosen.kind = ${kind} and not chosen.mail))`
}

/** Up to which id mails of a kind were made, locked until the transaction ends; undefined while another process makes them. */
export async function lockProgress(trx: Executor, kind: string): Promise<number | undefined> {
	const { rows } = await sql<{ upto: number }>`
		select upto from unseen_progress where kind = ${kind} for update skip locked`.execute(trx)
	return rows[0]?.upto
}

/** Stores up to which id mails of a kind were made. */
export async function writeProgress(trx: Executor, kind: string, upto: number): Promise<void> {
	await sql`update unseen_progress set upto = ${upto} where kind = ${kind}`.execute(trx)
}

/** Stores up to which ids members were mailed of subjects. */
export async function writeMailed(
	trx: Executor,
	mailed: readonly Pick<UnseenEvents, 'reader' | 'subject' | 'upto'>[],
): Promise<void> {
	const rows = mailed.map(({ reader, subject, upto }) => ({ u: reader.id, type: subject.type, id: subject.id, upto }))
	await sql`insert into mailed_subjects (user_id, subject_type, subject_id, upto)
		select u, type, id, upto from json_to_recordset(${JSON.stringify(rows)}::json) as made (u int, type text, id int, upto int)
		on conflict (user_id, subject_type, subject_id) do update set upto = excluded.upto`.execute(trx)
}

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

/** The Monday of this week in the site's time zone. */
const thisWeek = () => sql`${mondayOf()}::date`

/** A member who has not had the mail of this week. */
export interface WeeklyMember extends DueMember {
	/** ISO 8601: what is newer is reported, up to `until`. */
	since: string
	/** ISO 8601 */
	until: string
}

/** A comment may be committed after younger ones, so a mail covers the time until one minute ago, and the next one starts there. */
const until = "greatest(weekly_since, now() - interval '1 minute')"

/** Locks members who have not had this week's mail, without those in `except`; other processes skip them. */
export async function lockWeeklyMembers(
	trx: Executor,
	{ limit, except }: { limit: number; except: number[] },
): Promise<WeeklyMember[]> {
	const { rows } = await sql<WeeklyMember>`
		select user_id, name, email, unread,
			${isoTime('weekly_since')} as since, ${isoTime(until)} as until
		from notification_boxes join users on users.id = user_id
		where weekly and weekly_of < ${thisWeek()} and not imported and (suspended_until is null or suspended_until <= now())
			and leaves_at is null and user_id <> all(${except}::int[])
		order by weekly_of, user_id limit ${limit} for update of notification_boxes skip locked`.execute(trx)
	return rows
}

/** Records that a member, whose box is locked, got this week's mail. */
export async function recordWeeklyMail(
	trx: Executor,
	{ user_id: userId, until: mailedUntil }: Pick<WeeklyMember, 'user_id' | 'until'>,
): Promise<void> {
	await sql`
		update notification_boxes set weekly_of = ${thisWeek()}, weekly_since = ${mailedUntil}::timestamptz
		where user_id = ${userId}`.execute(trx)
}

/** Turns off mails of one kind. @returns false when there is no such member */
export async function disableMailsOf(userId: number, kind: string): Promise<boolean> {
	const { rows } = await sql`insert into notification_preferences (user_id, kind, site, mail)
		select id, ${kind}, true, false from users where id = ${userId}
		on conflict (user_id, kind) do update set mail = false returning user_id`.execute(db())
	return rows.length > 0
}
