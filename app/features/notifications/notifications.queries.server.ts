import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { statementTime } from '~/platform/db/times.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'
import type { Counted } from '~/platform/realtime/events.ts'
import type { Subject } from './notifications.view.ts'

export interface NotificationRow {
	id: number
	kind: string
	act: string
	reason: string
	people: number
	title: string
	url: string
	/** ISO 8601 with microseconds. */
	updated_at: string
	unread: boolean
	username: string | null
	name: string | null
	image: string | null
}

const notificationColumns = sql`notifications.id, kind, act, reason, cardinality(actor_ids) as people, title, url,
	to_json(notifications.updated_at) #>> '{}' as updated_at, read_at is null as unread, users.username, users.name, users.image`

/** A member's notifications on the site, the newest first. */
export async function listNotificationRows(
	userId: number,
	{ unread, cursor, limit }: { unread: boolean; cursor: TimeCursor | null; limit: number },
): Promise<NotificationRow[]> {
	const { rows } = await sql<NotificationRow>`
		select ${notificationColumns} from notifications left join users on users.id = actor_ids[1]
		where user_id = ${userId} and on_site ${unread ? sql`and read_at is null` : sql``}
			${cursor ? sql`and (notifications.updated_at, notifications.id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by notifications.updated_at desc, notifications.id desc limit ${limit}`.execute(db())
	return rows
}

/** The address that a member's notification leads to; undefined where they have no such notification. */
export async function findNotificationUrl(userId: number, id: number): Promise<string | undefined> {
	const { rows } = await sql<{ url: string }>`
		select url from notifications where id = ${id} and user_id = ${userId}`.execute(db())
	return rows[0]?.url
}

/** How many notifications of a member are unread, for other statements. @param userId a column */
export function unreadNotifications(userId: RawBuilder<number>): RawBuilder<number> {
	return sql<number>`coalesce((select unread from notification_boxes where user_id = ${userId}), 0)`
}

/** How many notifications of each member are unread, and when they were counted. */
export async function readUnreadOf(userIds: number[]): Promise<(Counted & { userId: number; unread: number })[]> {
	const { rows } = await sql<Counted & { userId: number; unread: number }>`
		select distinct member.id as "userId", ${unreadNotifications(sql`member.id`)} as unread, ${statementTime} as "countedAt"
		from unnest(${userIds}::int[]) member (id)`.execute(db())
	return rows
}

/** Names a subject. */
export type SubjectRef = Pick<Subject, 'type' | 'id'>

/** SQL condition: a row of a table, by its name in the statement, is about a subject. */
const isAbout = (table: string, { type, id }: SubjectRef) =>
	sql<boolean>`(${sql.ref(`${table}.subject_type`)} = ${type} and ${sql.ref(`${table}.subject_id`)} = ${id}::int)`

/** Whether a member muted a subject, and whether they have unread notifications about it. */
export async function findSubjectState(
	userId: number,
	subject: SubjectRef,
): Promise<{ muted: boolean; waiting: boolean }> {
	const { rows } = await sql<{ muted: boolean; waiting: boolean }>`select
		exists (select from muted_subjects m where user_id = ${userId} and ${isAbout('m', subject)}) as muted,
		exists (select from notifications n where ${isAbout('n', subject)} and user_id = ${userId} and read_at is null) as waiting`.execute(
		db(),
	)
	return rows[0] ?? { muted: false, waiting: false }
}

/*
 * A member's box is locked before their notifications are written, several boxes in the order of member ids. So counters always
 * match the rows, and writers cannot deadlock. Questions and comments are locked earlier.
 */

/**
 * Locks the boxes of members who may be notified about a subject, and creates missing ones. Accounts of imported authors, members
 * who muted the subject and members who block the actor are left out.
 * @param about the subject, and the account shown as the actor; null for a fact without one
 * @returns by their ids, in this order, whether they have a browser that is subscribed to pushes
 */
export async function lockRecipients(
	trx: Executor,
	userIds: number[],
	{ subject, actorId }: { subject: SubjectRef; actorId: number | null },
): Promise<Map<number, boolean>> {
	const { rows } = await sql<{ user_id: number; has_browser: boolean }>`
		insert into notification_boxes (user_id)
		select id from users
		where id = any(${userIds}::int[]) and not imported and (suspended_until is null or suspended_until <= now())
			and not exists (select from muted_subjects m where m.user_id = users.id and ${isAbout('m', subject)})
			and not ${isBlocking(sql.ref('users.id'), actorId)}
		order by id
		on conflict (user_id) do update set unread = notification_boxes.unread
		returning user_id, exists (select from push_subscriptions s where s.user_id = notification_boxes.user_id) as has_browser`.execute(
		trx,
	)
	return new Map(rows.map((row) => [row.user_id, row.has_browser]))
}

/** As {@link lockRecipients}, for a member who is notified in any case. @returns none for the account of an imported author */
export async function lockRecipient(trx: Executor, userId: number): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		insert into notification_boxes (user_id) select id from users where id = ${userId} and not imported
		on conflict (user_id) do update set unread = notification_boxes.unread returning user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/**
 * Those of these members who were not notified of an action yet, read or not, so that neither an edit nor a retried job notifies
 * anybody twice.
 * @param partId the part of the subject; null for the subject itself
 */
export async function listUnnotified(
	trx: Executor,
	userIds: number[],
	{ subject, partId }: { subject: SubjectRef; partId: number | null },
): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select person as id from unnest(${userIds}::int[]) as person
		where not exists (select from notifications n join notification_acts on notification_id = n.id
			where ${isAbout('n', subject)} and user_id = person
				and notification_acts.part_id is not distinct from ${partId}::int)`.execute(trx)
	return rows.map((row) => row.id)
}

/** Those of these members who have not been notified in a group within the last hour, or have seen it since. */
export async function withoutRecentGroup(trx: Executor, userIds: number[], groupKey: string): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select person as id from unnest(${userIds}::int[]) as person
		where not exists (select from notifications where user_id = person and group_key = ${groupKey} and seen_at is null
			and updated_at > now() - interval '1 hour')`.execute(trx)
	return rows.map(({ id }) => id)
}

/** How many members got a kind of notification about a part of a subject, or the subject itself. */
export async function countNotified(
	trx: Executor,
	kind: string,
	{ subject, partId }: { subject: SubjectRef; partId: number | null },
): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from notifications n join notification_acts on notification_id = n.id
		where ${isAbout('n', subject)} and kind = ${kind}
			and notification_acts.part_id is not distinct from ${partId}::int`.execute(trx)
	return rows[0]?.count ?? 0
}

/** What remains of notifications after actions were removed: `first` is the part of the first remaining action, with its address. */
const remainingActs = (ids: number[]) => sql`
	select notification_id as id, count(*)::int as acts, array_agg(distinct actor_id) as people, min(part_id) as first,
		(array_agg(url order by part_id nulls last))[1] as url
	from notification_acts where notification_id = any(${ids}::int[]) group by 1`

/** Parts of subjects of one type, such as comments of questions. */
export interface SubjectParts {
	subjectType: string
	subjectIds: readonly number[]
	partIds: readonly number[]
}

/**
 * Removes parts of subjects from unread notifications; an empty group is deleted, as is a fact about a part that has no actors. Decisions
 * of moderators stay.
 * @param kinds only from notifications of these kinds; null for all
 * @param alsoLocked members whose boxes are locked, too
 * @returns whose counters changed
 */
export async function removeOfParts(
	trx: Executor,
	{
		subjectType,
		subjectIds,
		partIds,
		kinds,
		alsoLocked,
	}: SubjectParts & { kinds: readonly string[] | null; alsoLocked?: AlsoLocked },
): Promise<number[]> {
	const isPart = (column: string) => sql`${sql.ref(column)} = any(${[...partIds]}::int[])`
	const isMeant = sql`n.subject_type = ${subjectType} and n.subject_id = any(${[...subjectIds]}::int[])
		and n.read_at is null ${kinds === null ? sql`` : sql`and n.kind = any(${[...kinds]}::text[])`}`
	const ofParts = sql`select n.id from notifications n join notification_acts on notification_id = n.id
		where ${isPart('notification_acts.part_id')} and ${isMeant}`
	const facts = sql`select n.id from notifications n where ${isPart('n.part_id')} and ${isMeant} and n.kind <> 'moderation'
		and not exists (select from notification_acts where notification_id = n.id)`
	await lockBoxesOf(trx, sql`select user_id from notifications where id in (${ofParts} union all ${facts})`, alsoLocked)
	const [{ rows }, alone] = await Promise.all([
		sql<{ id: number; part: number }>`
			delete from notification_acts where ${isPart('part_id')} and notification_id in (${ofParts})
			returning notification_id as id, part_id as part`.execute(trx),
		sql<{ id: number }>`${facts}`.execute(trx),
	])
	const acts = Map.groupBy(rows, ({ id }) => id)
	const touched = [...new Set([...acts.keys(), ...alone.rows.map(({ id }) => id)])]
	if (touched.length === 0) return []
	const removed = [...acts.values()].map((those) => new Set(those.map(({ part }) => part)).size)
	await sql`
		with remaining as (${remainingActs(touched)})
		update notifications set count = greatest(count - removed.parts, 1), part_id = first,
			url = case when ${isPart('notifications.part_id')} then coalesce(remaining.url, notifications.url) else notifications.url end,
			actor_ids = array(select person from unnest(actor_ids) with ordinality as one (person, position)
				where person = any(people) order by position)
		from remaining join unnest(${[...acts.keys()]}::int[], ${removed}::int[]) as removed (id, parts) using (id)
		where remaining.id = notifications.id`.execute(trx)
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
 * Removes an actor from a member's unread notifications; an empty group is deleted.
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
		with remaining as (${remainingActs(touched)})
		update notifications set count = remaining.acts, part_id = first,
			url = case when first is null then notifications.url else coalesce(remaining.url, notifications.url) end,
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

/** Notifications to mark as read: some, those about a subject, or all. */
export interface NotificationSelection {
	ids?: number[]
	subject?: SubjectRef
	/** Only those whose last event's transaction began by then: the `updated_at` of the newest one that the reader was shown. */
	until?: string
}

/** Marks a member's notifications as read. @returns how many are still unread */
export async function markRead(
	trx: Executor,
	userId: number,
	{ ids, subject, until }: NotificationSelection,
): Promise<number> {
	await sql`select from notification_boxes where user_id = ${userId} for update`.execute(trx)
	const { rows } = await sql<{ unread: number }>`
		with done as (
			update notifications n set read_at = now(), seen_at = coalesce(seen_at, now())
			where user_id = ${userId} and read_at is null and (${ids ?? null}::int[] is null or id = any(${ids ?? null}::int[]))
				${subject ? sql`and ${isAbout('n', subject)}` : sql``} ${until ? sql`and updated_at <= ${until}::timestamptz` : sql``}
			returning on_site
		)
		update notification_boxes set unread = unread - (select count(*) from done where on_site)
		where user_id = ${userId} returning unread`.execute(trx)
	return rows[0]?.unread ?? 0
}

/** Records that these were shown, so that they are not mailed. */
export async function markNotificationsSeen(trx: Executor, userId: number, ids: number[]): Promise<void> {
	await sql`update notifications set seen_at = now()
		where user_id = ${userId} and id = any(${ids}::int[]) and seen_at is null`.execute(trx)
}

/** A member, or several, who are notified in the same transaction: all boxes are locked at once. */
export type AlsoLocked = number | readonly number[] | undefined

/** `alsoLocked`: a member whose box is locked, too; `keepsDecisions`: decisions about parts stay, as their authors have to learn of them. */
export type SubjectRemoval = { alsoLocked?: number | undefined; keepsDecisions?: boolean }

/** Deletes all notifications about a subject. @returns whose counters changed */
export async function removeOfSubject(
	trx: Executor,
	subject: SubjectRef,
	{ alsoLocked, keepsDecisions = false }: SubjectRemoval = {},
): Promise<number[]> {
	await lockBoxesOf(trx, notifiedOf(subject), alsoLocked)
	const { rows } = await sql<{ user_id: number }>`
		with gone as (delete from notifications n where ${isAbout('n', subject)}
				${keepsDecisions ? sql`and not (kind = 'moderation' and part_id is not null)` : sql``}
			returning user_id, on_site and read_at is null as unread),
			counts as (select user_id, count(*) filter (where unread) as unread from gone group by user_id)
		update notification_boxes set unread = notification_boxes.unread - counts.unread
		from counts where counts.user_id = notification_boxes.user_id and counts.unread > 0
		returning notification_boxes.user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/** Deletes these members' unread notifications of one kind about a subject; their boxes are locked. */
export async function removeUnreadOfKind(
	trx: Executor,
	userIds: number[],
	{ subject, kind }: { subject: SubjectRef; kind: string },
): Promise<void> {
	await sql`
		with gone as (
			delete from notifications n where ${isAbout('n', subject)} and kind = ${kind} and read_at is null
				and user_id = any(${userIds}::int[])
			returning user_id, on_site)
		update notification_boxes set unread = unread - gone.on_site::int
		from gone where gone.user_id = notification_boxes.user_id`.execute(trx)
}

/**
 * Deletes the unread notifications for which a condition holds.
 * @param condition about the row `n`
 * @param alsoLocked a member whose box is locked, too
 * @returns whose counters changed
 */
export async function removeUnread(
	trx: Executor,
	condition: RawBuilder<unknown>,
	alsoLocked?: number,
): Promise<number[]> {
	const those = sql`notifications n where ${condition} and n.read_at is null`
	await lockBoxesOf(trx, sql`select n.user_id from ${those}`, alsoLocked)
	const { rows } = await sql<{ user_id: number }>`
		with gone as (delete from ${those} returning n.user_id, n.on_site),
			counts as (select user_id, count(*) as unread from gone where on_site group by user_id)
		update notification_boxes set unread = notification_boxes.unread - counts.unread
		from counts where counts.user_id = notification_boxes.user_id returning notification_boxes.user_id`.execute(trx)
	return rows.map((row) => row.user_id)
}

/** Deletes unread notifications of some kinds about a subject, as {@link removeUnread} does. @returns whose counters changed */
export function removeOfKinds(
	trx: Executor,
	subject: SubjectRef,
	kinds: readonly string[],
	alsoLocked?: number,
): Promise<number[]> {
	return removeUnread(trx, sql`${isAbout('n', subject)} and n.kind = any(${[...kinds]}::text[])`, alsoLocked)
}

/** Changes the title of a subject in all notifications about it. @param alsoLocked members whose boxes are locked, too */
export async function updateSubjectTitle(
	trx: Executor,
	subject: SubjectRef,
	title: string,
	alsoLocked?: AlsoLocked,
): Promise<void> {
	await lockBoxesOf(trx, notifiedOf(subject), alsoLocked)
	await sql`update notifications n set title = ${title} where ${isAbout('n', subject)} and title <> ${title}`.execute(
		trx,
	)
}

/** Deletes some notifications without new events for `days`, read or not. @returns how many */
export async function removeOldNotifications(trx: Executor, days: number, limit: number): Promise<number> {
	const isOld = sql`updated_at < now() - make_interval(days => ${days})`
	const old = await sql<{ id: number; user_id: number }>`
		select id, user_id from notifications where ${isOld} order by updated_at limit ${limit}`.execute(trx)
	await lockBoxesOf(trx, sql`select unnest(${old.rows.map(({ user_id }) => user_id)}::int[])`)
	// Something new may have come until the boxes were locked.
	const { rows } = await sql<{ count: number }>`
		with gone as (
			delete from notifications where id = any(${old.rows.map(({ id }) => id)}::int[]) and ${isOld}
			returning user_id, on_site and read_at is null as unread),
			counts as (select user_id, count(*) filter (where unread) as unread from gone group by user_id),
			counted as (
				update notification_boxes set unread = notification_boxes.unread - counts.unread
				from counts where counts.user_id = notification_boxes.user_id and counts.unread > 0)
		select count(*)::int as count from gone`.execute(trx)
	return rows[0]?.count ?? 0
}

function notifiedOf(subject: SubjectRef): RawBuilder<unknown> {
	return sql`select user_id from notifications n where ${isAbout('n', subject)}`
}

/** @param whose a statement for ids of members */
async function lockBoxesOf(trx: Executor, whose: RawBuilder<unknown>, alsoLocked: AlsoLocked = []): Promise<void> {
	await sql`insert into notification_boxes (user_id)
		select id from users
		where id = any(${[alsoLocked].flat()}::int[]) and not imported or id in (${whose}) order by id
		on conflict (user_id) do update set unread = notification_boxes.unread`.execute(trx)
}
