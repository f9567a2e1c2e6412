import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/*
 * A member's box is locked before their notices are written, those of several members in the order of their ids. So the
 * counter is always that of the rows, and two writers never wait for each other. Questions and comments are locked earlier.
 */

/** What a group of notices is made of. */
export interface NoticeValues {
	kind: string
	groupKey: string
	actorIds: number[]
	act: string
	reason: string
	questionId: number | null
	commentId: number | null
	title: string
	url: string
}

/** A member who was told, and by which notice. */
export interface ToldRow {
	user_id: number
	notice_id: number
	/** Whether they want it in a browser, and have one that asked for it. */
	push: boolean
}

/** How long a member has to see something on the site before a mail is made of it. */
const mailAfter = sql.raw("interval '1 hour'")
const mailEvery = sql.raw("interval '1 day'")

/**
 * Locks the boxes of those who may be told about a query, and makes the missing ones. Authors who only stand for an imported
 * text, those who muted the query and those who block its cause are left out.
 * @param about the query, and who did what is told
 * @returns their ids
 */
export async function lockBoxes(
	trx: Executor,
	userIds: number[],
	{ questionId, actorId }: { questionId: number; actorId: number },
): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		insert into notification_boxes (user_id)
		select id from users
		where id = any(${userIds}::int[]) and not imported and (suspended_until is null or suspended_until <= now())
			and not exists (select from muted_threads where user_id = users.id and question_id = ${questionId}::int)
			and not ${isBlocking(sql.ref('users.id'), actorId)}
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
 * @returns who was told something
 */
export async function addNotices(trx: Executor, userIds: number[], notice: NoticeValues): Promise<ToldRow[]> {
	const { rows } = await sql<ToldRow>`
		with wanted as (
			select person as user_id, coalesce(site, true) as site, coalesce(mail, true) as mail,
				coalesce(push, true) and exists (select from push_subscriptions where push_subscriptions.user_id = person) as push
			from unnest(${userIds}::int[]) as person
			left join notification_preferences on user_id = person and kind = ${notice.kind}
		), told as (
			insert into notifications (user_id, kind, group_key, actor_ids, act, reason, question_id, comment_id, title, url, on_site, by_mail)
			select user_id, ${notice.kind}, ${notice.groupKey}, ${notice.actorIds}::int[], ${notice.act}, ${notice.reason}, ${notice.questionId}::int,
				${notice.commentId}::int, ${notice.title}, ${notice.url}, site, mail
			from wanted where site or mail or push
			on conflict (user_id, group_key) where read_at is null do update set
				actor_ids = (excluded.actor_ids || array_remove(notifications.actor_ids, excluded.actor_ids[1]))[1:50],
				act = excluded.act, reason = excluded.reason,
				count = notifications.count + 1, title = excluded.title, updated_at = now(), seen_at = null, mailed_at = null
			returning id, user_id, on_site, by_mail, count = 1 as fresh
		), acts as (
			insert into notification_acts (notification_id, comment_id, actor_id)
			select id, ${notice.commentId}::int, actor from told, unnest(${notice.actorIds}::int[]) as actor on conflict do nothing
		)
		update notification_boxes set
			unread = unread + (told.fresh and told.on_site)::int,
			mail_due_at = case when told.by_mail and mail <> 'off'
				then coalesce(mail_due_at, greatest(now() + ${mailAfter}, mailed_at + ${mailEvery})) else mail_due_at end
		from told where told.user_id = notification_boxes.user_id
		returning notification_boxes.user_id, told.id as notice_id,
			(select push from wanted where wanted.user_id = told.user_id) as push`.execute(trx)
	return rows
}

/**
 * Of these members, those who were not told of an act yet, read or not: neither of two edits nor of a job that is tried again
 * is anybody told twice.
 * @param commentId the comment that was written or chosen; null for the query itself
 */
export async function listUntold(
	trx: Executor,
	userIds: number[],
	{ questionId, commentId }: { questionId: number; commentId: number | null },
): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select person as id from unnest(${userIds}::int[]) as person
		where not exists (select from notifications join notification_acts on notification_id = notifications.id
			where question_id = ${questionId} and user_id = person
				and notification_acts.comment_id is not distinct from ${commentId}::int)`.execute(trx)
	return rows.map((row) => row.id)
}

/**
 * Takes a comment out of the notices that nobody has read yet; a group of which nothing is left goes.
 * @param kind only out of notices of this kind; null for all
 * @param besides whose box is locked along
 * @returns whose counters changed
 */
export async function removeOfComment(
	trx: Executor,
	commentId: number,
	kind: string | null,
	besides?: number,
): Promise<number[]> {
	const ofComment = sql`select id from notifications join notification_acts on notification_id = id
		where notification_acts.comment_id = ${commentId} and read_at is null and (${kind}::text is null or kind = ${kind})`
	await lockBoxesOf(trx, sql`select user_id from notifications where id in (${ofComment})`, besides)
	const { rows } = await sql<{ id: number }>`
		delete from notification_acts where comment_id = ${commentId} and notification_id in (${ofComment})
		returning notification_id as id`.execute(trx)
	const touched = rows.map(({ id }) => id)
	if (touched.length === 0) return []
	await sql`
		with remaining as (
			select notification_id as id, min(comment_id) as first, array_agg(distinct actor_id) as people
			from notification_acts where notification_id = any(${touched}::int[]) group by 1)
		update notifications set count = greatest(count - 1, 1), comment_id = first,
			url = case when notifications.comment_id = ${commentId} then '/forum/comment/' || first else url end,
			actor_ids = array(select person from unnest(actor_ids) with ordinality as one (person, place)
				where person = any(people) order by place)
		from remaining where remaining.id = notifications.id`.execute(trx)
	const gone = await sql<{ user_id: number }>`
		with gone as (
			delete from notifications where id = any(${touched}::int[])
				and not exists (select from notification_acts where notification_id = notifications.id)
			returning user_id, on_site),
			counts as (select user_id, count(*) as unread from gone where on_site group by user_id)
		update notification_boxes set unread = notification_boxes.unread - counts.unread
		from counts where counts.user_id = notification_boxes.user_id returning notification_boxes.user_id`.execute(trx)
	return gone.rows.map((row) => row.user_id)
}

/**
 * Takes somebody out of the notices that a member has not read; a group of which nothing is left goes.
 * @returns whether there was anything
 */
export async function removeOfActor(trx: Executor, userId: number, actorId: number): Promise<boolean> {
	await sql`select from notification_boxes where user_id = ${userId} for update`.execute(trx)
	const { rows } = await sql<{ id: number }>`
		delete from notification_acts where actor_id = ${actorId} and notification_id in (
			select id from notifications where user_id = ${userId} and read_at is null)
		returning notification_id as id`.execute(trx)
	const touched = [...new Set(rows.map(({ id }) => id))]
	if (touched.length === 0) return false
	await sql`
		with remaining as (
			select notification_id as id, count(*)::int as acts, min(comment_id) as first
			from notification_acts where notification_id = any(${touched}::int[]) group by 1)
		update notifications set count = remaining.acts, comment_id = first,
			url = case when first is null then url else '/forum/comment/' || first end,
			actor_ids = array_remove(actor_ids, ${actorId}::int)
		from remaining where remaining.id = notifications.id`.execute(trx)
	await sql`
		with gone as (
			delete from notifications where id = any(${touched}::int[])
				and not exists (select from notification_acts where notification_id = notifications.id)
			returning on_site)
		update notification_boxes set unread = unread - (select count(*) from gone where on_site)
		where user_id = ${userId}`.execute(trx)
	return true
}

/** What a member marks as read: some of their notices, those of a query, or all. */
export interface Which {
	ids?: number[]
	questionId?: number
}

/** Marks own notices as read. @returns how many are still unread */
export async function markRead(trx: Executor, userId: number, { ids, questionId }: Which): Promise<number> {
	await sql`select from notification_boxes where user_id = ${userId} for update`.execute(trx)
	const { rows } = await sql<{ unread: number }>`
		with done as (
			update notifications set read_at = now(), seen_at = coalesce(seen_at, now())
			where user_id = ${userId} and read_at is null
				and (${ids ?? null}::int[] is null or id = any(${ids ?? null}::int[]))
				and (${questionId ?? null}::int is null or question_id = ${questionId ?? null}::int)
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
export async function removeOfQuestion(trx: Executor, questionId: number, besides?: number): Promise<number[]> {
	await lockBoxesOf(trx, toldOf(questionId), besides)
	const { rows } = await sql<{ user_id: number }>`
		with gone as (delete from notifications where question_id = ${questionId} returning user_id, on_site and read_at is null as unread),
			counts as (select user_id, count(*) filter (where unread) as unread from gone group by user_id)
		update notification_boxes set unread = notification_boxes.unread - counts.unread
		from counts where counts.user_id = notification_boxes.user_id and counts.unread > 0
		returning notification_boxes.user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/** Calls a query by its new title in every notice about it. */
export async function retitle(trx: Executor, questionId: number, title: string): Promise<void> {
	await lockBoxesOf(trx, toldOf(questionId))
	await sql`update notifications set title = ${title} where question_id = ${questionId} and title <> ${title}`.execute(
		trx,
	)
}

/** Stops or resumes notices about a query. */
export async function setMuted(trx: Executor, userId: number, questionId: number, muted: boolean): Promise<void> {
	await (muted
		? sql`insert into muted_threads (user_id, question_id) values (${userId}, ${questionId}) on conflict do nothing`
		: sql`delete from muted_threads where user_id = ${userId} and question_id = ${questionId}`
	).execute(trx)
}

/** How many questions a member mutes besides this one. */
export async function countMuted(trx: Executor, userId: number, besides: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from muted_threads where user_id = ${userId} and question_id <> ${besides}`.execute(
		trx,
	)
	return rows[0]?.count ?? 0
}

/** Deletes some of what was read before a time. @returns how many */
export async function removeReadBefore(trx: Executor, before: Date, limit: number): Promise<number> {
	const { numAffectedRows } = await sql`delete from notifications where id in (
		select id from notifications where read_at < ${before} order by read_at limit ${limit})`.execute(trx)
	return Number(numAffectedRows ?? 0)
}

function toldOf(questionId: number): RawBuilder<unknown> {
	return sql`select user_id from notifications where question_id = ${questionId}`
}

/** @param whose a query for ids of members */
async function lockBoxesOf(trx: Executor, whose: RawBuilder<unknown>, besides?: number): Promise<void> {
	await sql`insert into notification_boxes (user_id)
		select id from users
		where id = ${besides ?? null} and not imported or id in (${whose}) order by id
		on conflict (user_id) do update set unread = notification_boxes.unread`.execute(trx)
}
