import { on, once } from 'node:events'
import { io, type Socket } from 'socket.io-client'

/* Tabs of members: sockets of the real client connected to the built site. */

const open: Socket[] = []
const options = {
	path: '/realtime',
	transports: ['websocket'],
	forceNew: true,
	reconnectionDelay: 200,
	reconnectionDelayMax: 500,
	timeout: 20_000,
}

/** Closes tabs that a test left open; call it after each. */
export function closeTabs(): void {
	for (const socket of open.splice(0)) socket.disconnect()
}

/** Creates a socket with the origin of the site. @param headers such as a session's cookies */
export function startTab(url: string, headers: Record<string, string>): Socket {
	const socket = io(url, { ...options, extraHeaders: { 'Sec-Fetch-Site': 'same-origin', ...headers } })
	open.push(socket)
	return socket
}

/** Opens a tab of the member with these cookies. @throws if it is refused */
export async function openTab(url: string, cookie: string): Promise<Socket> {
	const socket = startTab(url, { Cookie: cookie })
	await nextEvent(socket, 'connect')
	return socket
}

/** Watches the presence of these members. @returns those online, sorted */
export async function watchPresence(socket: Socket, usernames: string[]): Promise<string[]> {
	const online: string[] = await socket.timeout(30_000).emitWithAck('presence:watch', usernames)
	return online.sort()
}

/** The payload of the next event of this name. @throws if none arrives within 30 s */
export function nextEvent(socket: Socket, name: string, milliseconds = 30_000): Promise<unknown> {
	const events = socket as unknown as NodeJS.EventEmitter
	return once(events, name, { signal: AbortSignal.timeout(milliseconds) }).then(([event]) => event)
}

/**
 * Waits for a member's presence event, ignoring those of others and late ones: the rows change a moment before the event.
 * @throws if it does not arrive within 30 s
 */
export async function waitForPresence(socket: Socket, username: string, online: boolean): Promise<void> {
	const events = socket as unknown as NodeJS.EventEmitter
	for await (const [event] of on(events, 'presence:changed', { signal: AbortSignal.timeout(30_000) }))
		if (event.username === username && event.online === online) return
}
