import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isOpen } from '~/platform/realtime/presence.queries.server.ts'
import { listSources, type NotificationKindName } from '../kinds.server.ts'
import { pushLimits } from './push.schema.ts'

/** A browser, as its push service knows it. */
export interface Subscription {
	id: number
	endpoint: string
	p256dh: string
	auth: string
}

/** The statements that push join a subscription `s` whose session is good and whose member has no tab open. */
const subscriptionColumns = sql`s.id, s.user_id, s.endpoint, s.p256dh, s.auth`
const isAway = sql<boolean>`
	exists (select from sessions where sessions.id = s.session_id and sessions.expires_at > now())
	and not exists (select from connections where connections.user_id = s.user_id and ${isOpen})`

/** Whether the member of `s` wants to be told of this kind in a browser. */
const wantsPush = (kind: unknown) => sql<boolean>`
	not exists (select from notification_preferences as chosen
		where chosen.user_id = s.user_id and chosen.kind = ${kind} and not chosen.push)`

/**
 * What the member of `s` has not read, as the tags of what may still be shown in a browser: notifications `n…`, and subjects of the
 * kinds of which none are stored. Of all at once, whatever is pushed, so that any push closes what was read elsewhere.
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

interface NewSubscription extends Omit<Subscription, 'id'> {
	userId: number
	sessionId: number
}

/** Adds a browser, or gives it to the member who is logged in there now; of too many the oldest one goes. */
export async function writeSubscription(trx: Executor, made: NewSubscription): Promise<void> {
	const { userId, sessionId, endpoint, p256dh, auth } = made
	// One after the other, so that no two count at once.
	await sql`select from users where id = ${userId} for no key update`.execute(trx)
	await sql`insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		values (${userId}, ${sessionId}, ${endpoint}, ${p256dh}, ${auth})
		on conflict (endpoint) do update set user_id = excluded.user_id, session_id = excluded.session_id,
			p256dh = excluded.p256dh, auth = excluded.auth, created_at = now(), last_success_at = null`.execute(trx)
	await sql`delete from push_subscriptions where id in (
		select id from push_subscriptions where user_id = ${userId}
		order by created_at desc, id desc offset ${pushLimits.browsers})`.execute(trx)
}

/** Takes off one of a member's browsers. */
export async function removeSubscription(userId: number, endpoint: string): Promise<void> {
	await db().deleteFrom('push_subscriptions').where('user_id', '=', userId).where('endpoint', '=', endpoint).execute()
}

/** The addresses of a member's browsers. */
export async function listEndpoints(userId: number): Promise<string[]> {
	const rows = await db()
		.selectFrom('push_subscriptions')
		.select('endpoint')
		.where('user_id', '=', userId)
		.limit(pushLimits.browsers)
		.execute()
	return rows.map(({ endpoint }) => endpoint)
}

/** The browsers of those among these members who have no tab open. */
export async function listAway(executor: Executor, userIds: number[]): Promise<{ id: number; user_id: number }[]> {
	const { rows } = await sql<{ id: number; user_id: number }>`
		select s.id, s.user_id from push_subscriptions s where s.user_id = any(${userIds}::int[]) and ${isAway}`.execute(
		executor,
	)
	return rows
}

/** What a job pushes: to which browser, and about what. */
export interface PushJob {
	subscription: number
	/** The kind whose feature says what waits; left out for a stored notification. */
	kind?: NotificationKindName
	/** Id of the subject, or of the notification. */
	about: number
}

/**
 * Adds a job for each of these. One that waits already about the same stays the only one: what it tells is looked up when it
 * is done. After six tries, about an hour, it is too late for a push.
 */
export async function addPushJobs(executor: Executor, jobs: PushJob[]): Promise<void> {
	await sql`select graphile_worker.add_job('push-notice', payload => job::json, max_attempts => 6,
			job_key => concat_ws(':', 'push-notice', job ->> 'subscription', job ->> 'kind', job ->> 'about'))
		from (select value as job from jsonb_array_elements(${JSON.stringify(jobs)}::jsonb)
			order by (value ->> 'subscription')::int, (value ->> 'about')::int) jobs`.execute(executor)
}

/** A browser in which its member is to be told of something of a kind. */
interface BrowserRow extends Subscription {
	user_id: number
	open: string[]
}

/** A browser, unless its member has a tab open, has logged out there or does not want to be told of this kind. */
export async function findBrowser(subscription: number, kind: NotificationKindName): Promise<BrowserRow | undefined> {
	const { rows } = await sql<BrowserRow>`
		select ${subscriptionColumns}, ${openTags()} as open from push_subscriptions s
		where s.id = ${subscription} and ${isAway} and ${wantsPush(kind)}`.execute(db())
	return rows[0]
}

/** Notes that a push service took a push. */
export async function noteSuccess(id: number): Promise<void> {
	await sql`update push_subscriptions set last_success_at = now() where id = ${id}`.execute(db())
}

/** Forgets a browser that its push service does not know any more, unless it asked again meanwhile. */
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
}

/** A notification as a browser of its member is told; undefined when there is no reason any more to tell it there. */
export async function findNotificationPush({ subscription, about }: PushJob): Promise<NotificationPushRow | undefined> {
	const { rows } = await sql<NotificationPushRow>`
		select ${subscriptionColumns}, n.kind, n.act, n.reason, cardinality(n.actor_ids) as people, users.name, n.title, n.url,
			${openTags()} as open
		from push_subscriptions s join notifications n on n.user_id = s.user_id
		left join users on users.id = n.actor_ids[1]
		where s.id = ${subscription} and n.id = ${about} and n.read_at is null and n.seen_at is null and ${isAway}
			and ${wantsPush(sql.ref('n.kind'))}
			and (n.kind = 'moderation' or not exists (select from muted_subjects m
				where m.user_id = s.user_id and m.subject_type = n.subject_type and m.subject_id = n.subject_id))`.execute(db())
	return rows[0]
}
