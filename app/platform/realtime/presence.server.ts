import { gathered } from '~/lib/gathered.ts'
import { remember } from '~/lib/remember.ts'
import { announce, io } from './io.server.ts'
import {
	closeConnections,
	countOpenTabs,
	forgetLapsed,
	forgetMember,
	listLiveSessions,
	listSessionsOf,
	noteLeaving,
	type OpenTab,
	type PresentMember,
	renewConnections,
} from './presence.queries.server.ts'

/** The tabs that this process holds, by id. */
const tabs = remember('tabs', () => new Map<string, OpenTab>())

/** Tabs that one member may have open. */
export const MAX_TABS = 50
/** Few members have as many tabs on one process; of who has, those on the other processes are counted too. */
const manyTabs = 5
/** Tabs that are renewed by one statement: with ten thousand, messages wait less than a millisecond for it. */
const atOnce = 500

/** What is written of the tabs of this process, one after the other: two statements over the same rows could wait for each other. */
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
 * Whether a member may open one more tab. Who does not show their presence leaves no rows to count, and has this many tabs on
 * each process.
 */
export async function mayOpenTab(userId: number): Promise<boolean> {
	const here = countTabs(userId)
	if (here < manyTabs) return true
	return here < MAX_TABS && (await countOpenTabs(userId)) < MAX_TABS
}

/** A tab opened: its member is online, and whoever watches is told when it is the first. */
export async function openTab(tab: OpenTab): Promise<void> {
	tabs.set(tab.id, tab)
	await writeOpened(tab)
}

/** After a break of the network everybody comes back at once: all who do so in one moment are one statement. */
const writeOpened = gathered(async (opened: OpenTab[]) => {
	await oneAtATime(async () => tell(await renewConnections(opened.filter(({ id }) => tabs.has(id))), true))
	return opened
})

/** A tab closed. Its member stays online for 30 s; the next {@link trackPresence} after that tells whoever watches. */
export async function closeTab(id: string): Promise<void> {
	if (tabs.delete(id)) await writeClosed(id)
}

const writeClosed = gathered(async (ids: string[]) => {
	await oneAtATime(() => closeConnections(ids))
	return ids
})

/**
 * To be called every few seconds: renews the tabs of this process, closes those whose session ended without our doing (a
 * reset password, a session that grew too old), and tells of members who left, whoever held them.
 */
export async function trackPresence(): Promise<void> {
	const held = [...tabs.values()]
	for (let from = 0; from < held.length; from += atOnce)
		await keepTabs(held.slice(from, from + atOnce).filter(({ id }) => tabs.has(id)))
	tell(await forgetLapsed(), false)
}

async function keepTabs(held: OpenTab[]): Promise<void> {
	await oneAtATime(async () => tell(await renewConnections(held), true))
	const live = await listLiveSessions(held.map(({ sessionId }) => sessionId))
	const ended = new Map(held.filter(({ sessionId }) => !live.has(sessionId)).map((tab) => [tab.userId, tab.username]))
	for (const [id, username] of ended) await closeEndedSessions({ id, username })
}

/** The process stops: its members have 30 s to come back to another one, or to this one started again. */
export async function leaveTabs(): Promise<void> {
	const ids = [...tabs.keys()]
	tabs.clear()
	await closeConnections(ids)
}

/**
 * Closes the sockets of a member's sessions that have ended, on every process, and tells at once that they are offline
 * when no other session keeps them online. To be called after a logout, a revocation or a changed password.
 */
export async function closeEndedSessions({ id, username }: PresentMember): Promise<void> {
	const live = await listSessionsOf(id)
	// No process is asked what it holds: one that has just died would keep the others waiting for its answer.
	io.in(roomOf(id)).except(live.map(sessionRoom)).disconnectSockets(true)
	if (await noteLeaving(id)) tell([{ id, username }], false)
}

/** Takes a member off who does not want to be seen any more; their next renewal leaves no trace either. */
export async function hidePresence(member: PresentMember): Promise<void> {
	if (await forgetMember(member.id)) tell([member], false)
}

/**
 * To be called once a member has another username: on every process their tabs are closed, as each of them goes by the old one,
 * and nobody watches that any more.
 */
export function closeTabsOf({ id, username }: PresentMember): void {
	tell([{ id, username }], false)
	io.in(watchersOf(username)).socketsLeave(watchersOf(username))
	io.in(roomOf(id)).disconnectSockets(true)
}

/**
 * To be called once a member blocked another one: on every process, the tabs of the blocked member stop watching them, and are
 * told what they are told when somebody leaves.
 */
export function hidePresenceFrom({ username }: Pick<PresentMember, 'username'>, blockedId: number): void {
	announce(roomOf(blockedId), 'presence:changed', { username, online: false })
	io.in(roomOf(blockedId)).socketsLeave(watchersOf(username))
}

/** The room of all tabs of a member. */
export function roomOf(userId: number): string {
	return `user:${userId}`
}

/** The room of all tabs that were opened in a session. */
export function sessionRoom(sessionId: number): string {
	return `session:${sessionId}`
}

/** The room of those who watch a member. */
export function watchersOf(username: string): string {
	return `presence:${username}`
}

function tell(members: PresentMember[], online: boolean): void {
	for (const { username } of members) announce(watchersOf(username), 'presence:changed', { username, online })
}
