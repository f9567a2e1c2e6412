import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import { mondayOf } from '~/platform/settings/region.server.ts'
import type { UnseenEvents } from './kinds.server.ts'

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

/** The Monday of this week in the site's time zone. */
export const thisWeek = () => sql`${mondayOf()}::date`

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
