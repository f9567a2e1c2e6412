import { type RawBuilder, sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/times.server.ts'

/*
 * A row of `connections` stands for an open tab. The process that holds the tab looks every 5 s, and renews it when it is
 * 8 s old; a row that nobody renewed for 45 s is of a process that died. A tab that closed is made to look 15 s old, so that
 * it counts for 30 s more: a reload or a change of network makes nobody look offline.
 *
 * The product promises offline within 60 s of a crash or a lost network. A dead process: 45 s. A dead network: at most 20 s
 * until a ping is missed, and 30 s more. Watchers are notified up to 5 s later.
 */
const lifetime = '45 seconds'
const openFor = '15 seconds'
const spent = sql.raw(`interval '${openFor}'`)
const renewable = sql.raw("interval '8 seconds'")
/** A row that is further ahead was renewed before the machine's clock was set back. */
const ahead = sql.raw("interval '5 seconds'")

/** SQL condition: a row of `connections` is an open tab, or one that closed less than 30 s ago. */
export const isConnected = isRecent('connections.seen_at', lifetime)

/** SQL condition: a row of `connections` is a tab that is open now. */
export const isTabOpen = isRecent('connections.seen_at', openFor)

/** An open tab of this process. */
export interface OpenTab {
	id: string
	userId: number
	username: string
	sessionId: number
}

/** A member whose presence changed. */
export interface PresentMember {
	id: number
	username: string
}

/**
 * Inserts or renews rows of these open tabs. Tabs of ended sessions, and of members who hide their presence, get no row, so that
 * nothing can be derived from it.
 * @returns the members whose first tabs these are
 */
export async function renewConnections(tabs: OpenTab[]): Promise<PresentMember[]> {
	if (tabs.length === 0) return []
	const { rows } = await sql<PresentMember>`
		with open as (
			select * from unnest(${tabs.map(({ id }) => id)}::uuid[], ${tabs.map(({ userId }) => userId)}::int[],
				${tabs.map(({ sessionId }) => sessionId)}::int[]) as open (id, user_id, session_id)),
		shown as (
			select open.*, known.id is null as is_new from open
			left join connections known on known.id = open.id
			join sessions on sessions.id = open.session_id and sessions.user_id = open.user_id and sessions.expires_at > now()
			left join profiles on profiles.user_id = open.user_id
			where coalesce(profiles.show_presence, true) and (known.id is null or known.seen_at < now() - ${renewable} or known.seen_at > now() + ${ahead})),
		lasting as (
			select shown.* from shown join sessions on sessions.id = shown.session_id where is_new for key share of sessions),
		added as (
			insert into connections (id, user_id, session_id) select id, user_id, session_id from lasting
			on conflict (id) do nothing returning user_id),
		renewed as (
			update connections set seen_at = now() from shown where connections.id = shown.id and not is_new
			returning connections.user_id),
		written as (select user_id from added union select user_id from renewed)
		select users.id, users.username from written join users on users.id = written.user_id
		where not exists (select 1 from connections where connections.user_id = written.user_id and ${isConnected})`.execute(
		db(),
	)
	return rows
}

/** Marks tabs as closed: they count for 30 s more. */
export async function closeConnections(ids: string[]): Promise<void> {
	if (ids.length === 0) return
	await sql`
		with closed as (
			update connections set seen_at = least(seen_at, now() - ${spent}) where id = any(${ids}::uuid[]) returning user_id),
		locked as (${inOrder(sql`select user_id from closed`)})
		update profiles set last_seen_at = now() from locked where profiles.user_id = locked.user_id`.execute(db())
}

/** Locks the profiles of these members in order, so that two processes cannot deadlock. */
function inOrder(userIds: RawBuilder<unknown>): RawBuilder<unknown> {
	return sql`select user_id from profiles where user_id in (${userIds}) order by user_id for no key update`
}

/**
 * Deletes expired tabs, and those of members who began to hide during a renewal.
 * @returns the members who have no tabs left
 */
export async function deleteExpiredTabs(): Promise<PresentMember[]> {
	const { rows } = await sql<PresentMember>`
		with lapsed as (
			delete from connections where not (${isConnected})
				or exists (select 1 from profiles where profiles.user_id = connections.user_id and not show_presence)
			returning user_id, seen_at),
		latest as (select user_id, max(seen_at) as at from lapsed group by user_id),
		locked as (${inOrder(sql`select user_id from latest`)}),
		noted as (
			update profiles set last_seen_at = greatest(last_seen_at, latest.at) from latest join locked using (user_id)
			where profiles.user_id = latest.user_id and show_presence)
		select users.id, users.username from latest join users on users.id = latest.user_id
		where not exists (
			select 1 from connections left join profiles using (user_id)
			where user_id = latest.user_id and ${isConnected} and coalesce(show_presence, true))`.execute(db())
	return rows
}

/** Deletes all tabs of a member who hides. @returns whether there were any */
export async function forgetMember(userId: number): Promise<boolean> {
	const gone = await db().deleteFrom('connections').where('user_id', '=', userId).returning('id').execute()
	return gone.length > 0
}

/** Those of these sessions that still exist. */
export async function listLiveSessions(ids: number[]): Promise<Set<number>> {
	if (ids.length === 0) return new Set()
	// One array parameter keeps the statement the same however many tabs there are.
	const { rows } = await sql<{ id: number }>`
		select id from sessions where id = any(${ids}::int[]) and expires_at > now()`.execute(db())
	return new Set(rows.map(({ id }) => id))
}

/** The existing sessions of a member. */
export async function listSessionsOf(userId: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from sessions where user_id = ${userId} and expires_at > now()`.execute(db())
	return rows.map(({ id }) => id)
}

/** How many tabs a member has open, on all processes; without those that closed less than 30 s ago. */
export async function countOpenTabs(userId: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from connections where user_id = ${userId} and ${isTabOpen}`.execute(db())
	return rows[0]?.count ?? 0
}

/**
 * Notes that a member left now, when an ended session took their last tab. Nothing is noted for a member who hides.
 * @returns whether to notify watchers: no tab is left, and the member does not hide
 */
export async function recordWentOffline(userId: number): Promise<boolean> {
	const { rows } = await sql<{ left: boolean }>`
		with noted as (update profiles set last_seen_at = now() where user_id = ${userId} and show_presence)
		select coalesce((select show_presence from profiles where user_id = ${userId}), true)
			and not exists (select 1 from connections where user_id = ${userId} and ${isConnected}) as left`.execute(db())
	return rows[0]?.left ?? false
}

/** Those of these members who are online, by username. Callers ask for one page of members at a time. */
export async function listOnlineAmong(usernames: string[]): Promise<string[]> {
	if (usernames.length === 0) return []
	const { rows } = await sql<{ username: string }>`
		select username from users where username = any(${usernames})
			and exists (select 1 from connections where connections.user_id = users.id and ${isConnected})`.execute(db())
	return rows.map(({ username }) => username)
}
