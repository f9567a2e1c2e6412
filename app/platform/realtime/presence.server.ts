import { batchCalls } from '~/lib/batch-calls.ts'
import { remember } from '~/lib/remember.ts'
import { announce, io } from './io.server.ts'
import {
	closeConnections,
	countOpenTabs,
	deleteExpiredTabs,
	forgetMember,
	listLiveSessions,
	listSessionsOf,
	type OpenTab,
	type PresentMember,
	recordWentOffline,
	renewConnections,
} from './presence.queries.server.ts'

/** The open tabs of this process, by id. */
const tabs = remember('tabs', () => new Map<string, OpenTab>())

/** Maximum open tabs of a member. */
export const MAX_TABS = 50
/** Few members have this many tabs on one process. For those who do, the tabs of other processes are counted too. */
const MANY_TABS = 5
/** Tabs that one statement renews: with ten thousand, messages wait less than a millisecond for it. */
const MAX_AT_ONCE = 500

/** Serializes writes about this process's tabs: two statements over the same rows could deadlock. */
let writing: Promise<unknown> = Promise.resolve()
function oneAtATime(work: () => Promise<void>): Promise<void> {
	const mine = writing.then(work)
	writing = mine.catch(() => {})
	return mine
}

/** How many tabs a member has open on this process. */
export function countTabs(userId: number): number {
	return io.sockets.adapter.rooms.get(roomOf(userId))?.size ?? 0
}

/**
 * Whether a member may open one more tab. Those of members who hide their presence are not stored, so the limit then counts for
 * each process.
 */
export async function mayOpenTab(userId: number): Promise<boolean> {
	const here = countTabs(userId)
	if (here < MANY_TABS) return true
	return here < MAX_TABS && (await countOpenTabs(userId)) < MAX_TABS
}

/** Handles an opened tab: its member is online, and watchers are notified when it is the first. */
export async function openTab(tab: OpenTab): Promise<void> {
	tabs.set(tab.id, tab)
	await writeOpened(tab)
}

/** After an outage everybody reconnects at once: all of one tick are written by one statement. */
const writeOpened = batchCalls(async (opened: OpenTab[]) => {
	await oneAtATime(async () => announcePresence(await renewConnections(opened.filter(({ id }) => tabs.has(id))), true))
	return opened
})

/** Handles a closed tab. Its member stays online for 30 s; the next {@link trackPresence} after that notifies watchers. */
export async function closeTab(id: string): Promise<void> {
	if (tabs.delete(id)) await writeClosed(id)
}

const writeClosed = batchCalls(async (ids: string[]) => {
	await oneAtATime(() => closeConnections(ids))
	return ids
})

/**
 * Call it every few seconds: renews this process's tabs, closes those whose session ended elsewhere (a reset password, an expired
 * session), and announces members who left, whichever process held them.
 */
export async function trackPresence(): Promise<void> {
	const ownTabs = [...tabs.values()]
	for (let from = 0; from < ownTabs.length; from += MAX_AT_ONCE)
		await keepTabs(ownTabs.slice(from, from + MAX_AT_ONCE).filter(({ id }) => tabs.has(id)))
	announcePresence(await deleteExpiredTabs(), false)
}

async function keepTabs(ownTabs: OpenTab[]): Promise<void> {
	await oneAtATime(async () => announcePresence(await renewConnections(ownTabs), true))
	const live = await listLiveSessions(ownTabs.map(({ sessionId }) => sessionId))
	const ended = new Map(
		ownTabs.filter(({ sessionId }) => !live.has(sessionId)).map((tab) => [tab.userId, tab.username]),
	)
	for (const [id, username] of ended) await closeEndedSessions({ id, username })
}

/** The process stops: its members have 30 s to reconnect to another one, or to this one after a restart. */
export async function leaveTabs(): Promise<void> {
	const ids = [...tabs.keys()]
	tabs.clear()
	await closeConnections(ids)
}

/**
 * Closes the sockets of a member's ended sessions on every process, and announces at once that they are offline when no other
 * session keeps them online. Call it after a logout, a revocation or a changed password.
 * @param renewed a session that continues under another token: sockets that were opened with the old one are closed too
 */
export async function closeEndedSessions({ id, username }: PresentMember, renewed?: number): Promise<void> {
	const live = (await listSessionsOf(id)).filter((session) => session !== renewed)
	// Sockets of other processes are not listed first: a process that has just died would delay the answer.
	io.in(roomOf(id)).except(live.map(sessionRoom)).disconnectSockets(true)
	if (await recordWentOffline(id)) announcePresence([{ id, username }], false)
}

/** Hides a member's presence at once; their next renewal stores nothing either. */
export async function hidePresence(member: PresentMember): Promise<void> {
	if (await forgetMember(member.id)) announcePresence([member], false)
}

/**
 * Call it after a change of username: closes the member's tabs on every process, as each uses the old name, and makes everybody
 * stop watching that name.
 */
export function closeTabsOf({ id, username }: PresentMember): void {
	announcePresence([{ id, username }], false)
	io.in(presenceRoom(username)).socketsLeave(presenceRoom(username))
	io.in(roomOf(id)).disconnectSockets(true)
}

/**
 * Call it after a member blocked another one: on every process, tabs of the blocked member stop watching them, and are told that
 * they went offline.
 */
export function hidePresenceFrom({ username }: Pick<PresentMember, 'username'>, blockedId: number): void {
	announce(roomOf(blockedId), 'presence:changed', { username, online: false })
	io.in(roomOf(blockedId)).socketsLeave(presenceRoom(username))
}

/** The room of a member's tabs. */
export function roomOf(userId: number): string {
	return `user:${userId}`
}

/** The room of a session's tabs. */
export function sessionRoom(sessionId: number): string {
	return `session:${sessionId}`
}

/** The room of tabs that watch a member. */
export function presenceRoom(username: string): string {
	return `presence:${username}`
}

function announcePresence(members: PresentMember[], online: boolean): void {
	for (const { username } of members) announce(presenceRoom(username), 'presence:changed', { username, online })
}
