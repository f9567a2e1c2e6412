import { on, once } from 'node:events'
import { io, type Socket } from 'socket.io-client'

/* Tabs of members, as the built site sees them: sockets of the real client. */

const open: Socket[] = []
const options = {
	path: '/realtime',
	transports: ['websocket'],
	forceNew: true,
	reconnectionDelay: 200,
	reconnectionDelayMax: 500,
	timeout: 20_000,
}

/** Closes the tabs that a test leaves open; to be called after each. */
export function closeTabs(): void {
	for (const socket of open.splice(0)) socket.disconnect()
}

/**
 * A socket that is about to connect, as one of a page of the site itself.
 * @param headers such as the cookies of a session
 */
export function startTab(url: string, headers: Record<string, string>): Socket {
	const socket = io(url, { ...options, extraHeaders: { 'Sec-Fetch-Site': 'same-origin', ...headers } })
	open.push(socket)
	return socket
}

/** A tab of the member whose cookies these are. @throws when it is refused */
export async function openTab(url: string, cookie: string): Promise<Socket> {
	const socket = startTab(url, { Cookie: cookie })
	await next(socket, 'connect')
	return socket
}

/** Has the tab watch these members. @returns who of them is online, in the order of the alphabet */
export async function watch(socket: Socket, usernames: string[]): Promise<string[]> {
	const online: string[] = await socket.timeout(30_000).emitWithAck('presence:watch', usernames)
	return online.sort()
}

/** What comes with the next event of this name. @throws when none comes within 30 s */
export function next(socket: Socket, name: string, milliseconds = 30_000): Promise<unknown> {
	const events = socket as unknown as NodeJS.EventEmitter
	return once(events, name, { signal: AbortSignal.timeout(milliseconds) }).then(([event]) => event)
}

/**
 * Waits until this tab is told that a member came or left; what it is told of others, or was told late, is ignored: the rows say
 * who is online a moment before the event does.
 * @throws when it is not told within 30 s
 */
export async function heard(socket: Socket, username: string, online: boolean): Promise<void> {
	const events = socket as unknown as NodeJS.EventEmitter
	for await (const [event] of on(events, 'presence:changed', { signal: AbortSignal.timeout(30_000) }))
		if (event.username === username && event.online === online) return
}
