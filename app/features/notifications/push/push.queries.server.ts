import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isTabOpen } from '~/platform/realtime/presence.queries.server.ts'
import { listSources, type NotificationKindName } from '../kinds.server.ts'
import { unreadNotifications } from '../notifications.queries.server.ts'
import { pushLimits } from './push.schema.ts'

/** A push subscription of a browser. */
export interface Subscription {
	id: number
	endpoint: string
	p256dh: string
	auth: string
}

/** The columns of a subscription `s`, and the condition that its session is valid and its member has no open tab. */
const subscriptionColumns = sql`s.id, s.user_id, s.endpoint, s.p256dh, s.auth`
const isAway = sql<boolean>`
	exists (select from sessions where sessions.id = s.session_id and sessions.expires_at > now())
	and not exists (select from connections where connections.user_id = s.user_id and ${isTabOpen})`

/** Whether the member of `s` wants pushes of this kind. */
const wantsPush = (kind: unknown) => sql<boolean>`
	not exists (select from notification_preferences as chosen
		where chosen.user_id = s.user_id and chosen.kind = ${kind} and not chosen.push)`

/**
 * The tags of everything that the member of `s` has not read, and that a browser may still show: notifications `n…`,
 * and subjects of the kinds that store none. Every push contains them all, so that it closes what was read elsewhere.
 */
function openTags(): RawBuilder<string[]> {
	const sources = listSources().map(
		([, { tag, selectOpen }]) =>
			sql`(select ${tag}::text || open.id from (${selectOpen(sql.ref('s.user_id'), pushLimits.open)}) as open (id))`,
	)
	const notifications = sql`(select 'n' || id from notifications
		where user_id = s.user_id and read_at is null order by updated_at desc limit ${pushLimits.open})`
	return sql`array(${sql.join([...sources, notifications], sql` union all `)})`
}

/** The number on the bell of the member of `s`: unread notifications on the site, and what the kinds that store none count. */
function unreadCount(): RawBuilder<number> {
	const userId = sql.ref<number>('s.user_id')
	const counts = listSources().map(([, { countUnread }]) => countUnread(userId))
	return sql<number>`(${sql.join([unreadNotifications(userId), ...counts], sql` + `)})::int`
}

interface NewSubscription extends Omit<Subscription, 'id'> {
	userId: number
	sessionId: number
}

/** Stores a browser's subscription, for the member who is logged in there now; the oldest one beyond the limit is deleted. */
export async function writeSubscription(trx: Executor, made: NewSubscription): Promise<void> {
	const { userId, sessionId, endpoint, p256dh, auth } = made
	// Serialized: of two concurrent subscriptions, the second counts the first.
	await sql`select from users where id = ${userId} for no key update`.execute(trx)
	await sql`insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		values (${userId}, ${sessionId}, ${endpoint}, ${p256dh}, ${auth})
		on conflict (endpoint) do update set user_id = excluded.user_id, session_id = excluded.session_id,
			p256dh = excluded.p256dh, auth = excluded.auth, created_at = now(), last_success_at = null`.execute(trx)
	await sql`delete from push_subscriptions where id in (
		select id from push_subscriptions where user_id = ${userId}
		order by created_at desc, id desc offset ${pushLimits.browsers})`.execute(trx)
}

/** Removes one of a member's browsers. */
export async function removeSubscription(userId: number, endpoint: string): Promise<void> {
	await db().deleteFrom('push_subscriptions').where('user_id', '=', userId).where('endpoint', '=', endpoint).execute()
}

/** Removes what a session's browser subscribed to. @returns whether there was anything */
export async function removeOfSession(
	trx: Executor,
	{ userId, sessionId }: Pick<NewSubscription, 'userId' | 'sessionId'>,
): Promise<boolean> {
	// As in writeSubscription, before its rows.
	await sql`select from users where id = ${userId} for no key update`.execute(trx)
	const { numAffectedRows = 0n } = await sql`
		delete from push_subscriptions where user_id = ${userId} and session_id = ${sessionId}`.execute(trx)
	return numAffectedRows > 0n
}

/** The endpoints of a member's browsers. */
export async function listEndpoints(userId: number): Promise<string[]> {
	const rows = await db()
		.selectFrom('push_subscriptions')
		.select('endpoint')
		.where('user_id', '=', userId)
		.limit(pushLimits.browsers)
		.execute()
	return rows.map(({ endpoint }) => endpoint)
}

/** The browsers of these members, except those with an open tab. */
export async function listAwayBrowsers(
	executor: Executor,
	userIds: number[],
): Promise<{ id: number; user_id: number }[]> {
	const { rows } = await sql<{ id: number; user_id: number }>`
		select s.id, s.user_id from push_subscriptions s where s.user_id = any(${userIds}::int[]) and ${isAway}`.execute(
		executor,
	)
	return rows
}

/** The input of a push job: the browser and the subject. */
export interface PushJob {
	subscription: number
	/** The kind whose feature provides the content; omitted for a stored notification. */
	kind?: NotificationKindName
	/** Id of the subject, or of the notification. */
	about: number
}

/**
 * Queues a job for each of these. A waiting job about the same subject is not repeated, as its content is looked up
 * when it runs. After six attempts, about an hour, a push would be too late.
 */
export async function addPushJobs(executor: Executor, jobs: PushJob[]): Promise<void> {
	await sql`select graphile_worker.add_job('push-notice', payload => job::json, max_attempts => 6,
			job_key => concat_ws(':', 'push-notice', job ->> 'subscription', job ->> 'kind', job ->> 'about'))
		from (select value as job from jsonb_array_elements(${JSON.stringify(jobs)}::jsonb)
			order by (value ->> 'subscription')::int, (value ->> 'about')::int) jobs`.execute(executor)
}

/** A browser whose member is to get a push of some kind. */
interface BrowserRow extends Subscription {
	user_id: number
	open: string[]
	unread: number
}

/**
 * A browser, unless its member has an open tab, has logged out there, does not want pushes of this kind, is suspended or about to
 * leave.
 */
export async function findBrowser(subscription: number, kind: NotificationKindName): Promise<BrowserRow | undefined> {
	const { rows } = await sql<BrowserRow>`
		select ${subscriptionColumns}, ${openTags()} as open, ${unreadCount()} as unread
		from push_subscriptions s join users on users.id = s.user_id
		where s.id = ${subscription} and ${isAway} and ${wantsPush(kind)} and users.leaves_at is null
			and (users.suspended_until is null or users.suspended_until <= now())`.execute(db())
	return rows[0]
}

/** Records that a push service accepted a push. */
export async function recordPushSuccess(id: number): Promise<void> {
	await sql`update push_subscriptions set last_success_at = now() where id = ${id}`.execute(db())
}

/** Deletes the subscription of a browser that its push service no longer knows, unless it was renewed meanwhile. */
export async function forgetSubscription({ id, endpoint, p256dh }: Subscription): Promise<void> {
	await sql`delete from push_subscriptions
		where id = ${id} and endpoint = ${endpoint} and p256dh = ${p256dh}`.execute(db())
}

interface NotificationPushRow extends Subscription {
	kind: string
	act: string
	reason: string
	people: number
	name: string | null
	title: string
	url: string
	open: string[]
	unread: number
}

/** The push for a notification; undefined if it is no longer needed there. */
export async function findNotificationPush({ subscription, about }: PushJob): Promise<NotificationPushRow | undefined> {
	const { rows } = await sql<NotificationPushRow>`
		select ${subscriptionColumns}, n.kind, n.act, n.reason, cardinality(n.actor_ids) as people, users.name, n.title, n.url,
			${openTags()} as open, ${unreadCount()} as unread
		from push_subscriptions s join notifications n on n.user_id = s.user_id
		left join users on users.id = n.actor_ids[1]
		where s.id = ${subscription} and n.id = ${about} and n.read_at is null and n.seen_at is null and ${isAway}
			and ${wantsPush(sql.ref('n.kind'))}
			and (n.kind = 'moderation' or not exists (select from muted_subjects m
				where m.user_id = s.user_id and m.subject_type = n.subject_type and m.subject_id = n.subject_id))`.execute(db())
	return rows[0]
}
