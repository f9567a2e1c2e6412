import { sql } from 'kysely'
import type { Executor } from '~/db/db.server.ts'

/*
 * A member's box is locked before their notices are written, those of several members in the order of their ids. So the
 * counter is always that of the rows, and two writers never wait for each other. Queries and comments are locked earlier.
 */

/** What a group of notices is made of. */
export interface NoticeValues {
	kind: string
	groupKey: string
	actorIds: number[]
	act: string
	reason: string
	queryId: number | null
	commentId: number | null
	title: string
	url: string
}

/** How long a member has to see something on the site before a mail is made of it. */
const mailAfter = sql.raw("interval '1 hour'")
const mailEvery = sql.raw("interval '1 day'")

/**
 * Locks the boxes of those who may be told about a query, and makes the missing ones. Authors who only stand for an imported
 * text and those who muted the query are left out.
 * @returns their ids
 */
export async function lockBoxes(trx: Executor, userIds: number[], queryId: number | null): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		insert into notification_boxes (user_id)
		select id from users
		where id = any(${userIds}::int[]) and not imported and (suspended_until is null or suspended_until <= now())
			and not exists (select from muted_threads where user_id = users.id and query_id = ${queryId}::int)
		order by id
		on conflict (user_id) do update set unread = notification_boxes.unread
		returning user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/** As {@link lockBoxes}, for a member who is told in any case. @returns none for an author who only stands for an imported text */
export async function lockBoxOf(trx: Executor, userId: number): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		insert into notification_boxes (user_id) select id from users where id = ${userId} and not imported
		on conflict (user_id) do update set unread = notification_boxes.unread returning user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/**
 * Adds a notice to the open group of each of these members, or begins one, and counts it; their boxes are locked already.
 * @returns who was told something on the site
 */
export async function addNotices(trx: Executor, userIds: number[], notice: NoticeValues): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		with wanted as (
			select person as user_id, coalesce(site, true) as site, coalesce(mail, true) as mail
			from unnest(${userIds}::int[]) as person
			left join notification_preferences on user_id = person and kind = ${notice.kind}
		), told as (
			insert into notifications (user_id, kind, group_key, actor_ids, act, reason, query_id, comment_id, title, url, on_site, by_mail)
			select user_id, ${notice.kind}, ${notice.groupKey}, ${notice.actorIds}::int[], ${notice.act}, ${notice.reason}, ${notice.queryId}::int,
				${notice.commentId}::int, ${notice.title}, ${notice.url}, site, mail
			from wanted where site or mail
			on conflict (user_id, group_key) where read_at is null do update set
				actor_ids = (excluded.actor_ids || array_remove(notifications.actor_ids, excluded.actor_ids[1]))[1:50],
				act = excluded.act, reason = excluded.reason,
				count = notifications.count + 1, title = excluded.title, updated_at = now(), seen_at = null, mailed_at = null
			returning user_id, on_site, by_mail, count = 1 as fresh
		)
		update notification_boxes set
			unread = unread + (told.fresh and told.on_site)::int,
			mail_due_at = case when told.by_mail and mail <> 'off'
				then coalesce(mail_due_at, greatest(now() + ${mailAfter}, mailed_at + ${mailEvery})) else mail_due_at end
		from told where told.user_id = notification_boxes.user_id
		returning notification_boxes.user_id, told.on_site`.execute(trx)
	return rows.map((row) => row.user_id)
}

/** Of these members, those who were not told of a query in this way yet, read or not: a job that is tried again tells nobody twice. */
export async function listUntold(
	trx: Executor,
	userIds: number[],
	groupKey: string,
	queryId: number,
): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select person as id from unnest(${userIds}::int[]) as person
		where not exists (select from notifications
			where query_id = ${queryId} and user_id = person and group_key = ${groupKey})`.execute(trx)
	return rows.map((row) => row.id)
}

/** What a member marks as read: some of their notices, those of a query, or all. */
export interface Which {
	ids?: number[]
	queryId?: number
}

/** Marks own notices as read. @returns how many are still unread */
export async function markRead(trx: Executor, userId: number, { ids, queryId }: Which): Promise<number> {
	await sql`select from notification_boxes where user_id = ${userId} for update`.execute(trx)
	const { rows } = await sql<{ unread: number }>`
		with done as (
			update notifications set read_at = now(), seen_at = coalesce(seen_at, now())
			where user_id = ${userId} and read_at is null
				and (${ids ?? null}::int[] is null or id = any(${ids ?? null}::int[]))
				and (${queryId ?? null}::int is null or query_id = ${queryId ?? null}::int)
			returning on_site
		)
		update notification_boxes set unread = unread - (select count(*) from done where on_site)
		where user_id = ${userId} returning unread`.execute(trx)
	return rows[0]?.unread ?? 0
}

/** Notes that these were shown, so that no mail is made of them. */
export async function markSeen(trx: Executor, userId: number, ids: number[]): Promise<void> {
	await sql`update notifications set seen_at = now()
		where user_id = ${userId} and id = any(${ids}::int[]) and seen_at is null`.execute(trx)
}

/** Takes back every notice about a query. @param besides whose box is locked along @returns whose counters changed */
export async function removeOfQuery(trx: Executor, queryId: number, besides?: number): Promise<number[]> {
	await lockBoxesOf(trx, queryId, besides)
	const { rows } = await sql<{ user_id: number }>`
		with gone as (delete from notifications where query_id = ${queryId} returning user_id, on_site and read_at is null as unread),
			counts as (select user_id, count(*) filter (where unread) as unread from gone group by user_id)
		update notification_boxes set unread = notification_boxes.unread - counts.unread
		from counts where counts.user_id = notification_boxes.user_id and counts.unread > 0
		returning notification_boxes.user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/** Calls a query by its new title in every notice about it. */
export async function retitle(trx: Executor, queryId: number, title: string): Promise<void> {
	await lockBoxesOf(trx, queryId)
	await sql`update notifications set title = ${title} where query_id = ${queryId} and title <> ${title}`.execute(trx)
}

/** Stops or resumes notices about a query. */
export async function setMuted(trx: Executor, userId: number, queryId: number, muted: boolean): Promise<void> {
	await (muted
		? sql`insert into muted_threads (user_id, query_id) values (${userId}, ${queryId}) on conflict do nothing`
		: sql`delete from muted_threads where user_id = ${userId} and query_id = ${queryId}`
	).execute(trx)
}

/** Deletes some of what was read before a time. @returns how many */
export async function removeReadBefore(trx: Executor, before: Date, limit: number): Promise<number> {
	const { numAffectedRows } = await sql`delete from notifications where id in (
		select id from notifications where read_at < ${before} order by read_at limit ${limit})`.execute(trx)
	return Number(numAffectedRows ?? 0)
}

async function lockBoxesOf(trx: Executor, queryId: number, besides?: number): Promise<void> {
	await sql`insert into notification_boxes (user_id)
		select id from users
		where id = ${besides ?? null} and not imported or id in (select user_id from notifications where query_id = ${queryId}) order by id
		on conflict (user_id) do update set unread = notification_boxes.unread`.execute(trx)
}
