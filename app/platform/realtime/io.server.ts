import { Server, type Socket } from 'socket.io'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { ClientEvents, Counted, ServerEvents } from './events.ts'

/** The path of the socket; no page has it. */
export const socketPath = '/realtime'

/** What a socket knows about its member. */
export interface SocketData {
	userId: number
	username: string
	sessionId: number
	/** Identifies the connection in the log. */
	requestId: string
}

/** Requests between processes. */
interface ProcessEvents {
	/** Answered once the settings are read again. */
	'settings saved': (done: (isRead: boolean) => void) => void
}

/** The socket of a member's tab, on the server. */
export type Tab = Socket<ClientEvents, ServerEvents, ProcessEvents, SocketData>

/** The Socket.IO server of the process; it survives hot reload, which replaces its handlers in server/sockets.ts. */
export const io = remember(
	'io',
	() =>
		new Server<ClientEvents, ServerEvents, ProcessEvents, SocketData>({
			path: socketPath,
			serveClient: false,
			// The browser's client uses nothing else; a second transport would be one more to secure.
			transports: ['websocket'],
			maxHttpBufferSize: 64 * 1024,
			// A tab without a network is noticed within 20 s, and its member is offline 30 s later.
			pingInterval: 10_000,
			pingTimeout: 10_000,
		}),
)

/** Awaits work that a tab caused. Errors are logged: the tab asks again when it reconnects. */
export function inBackground(work: Promise<unknown>): void {
	work.catch((error) => log.warn({ err: error }, 'work for a tab failed'))
}

/**
 * Sends an event to every tab in a room. Call it after the commit; permissions are checked by the caller.
 * @param room `forum`, `query:{id}`, `user:{id}`, `presence:{username}` or `everybody`
 */
export function announce<Name extends keyof ServerEvents>(
	room: string,
	name: Name,
	...event: Parameters<ServerEvents[Name]>
): void {
	io.to(room).emit(name, ...event)
}

/**
 * Keeps a number that a tab shows up to date: sends it now, and again after the tab was sent an older count than it had, as the
 * events of two processes may arrive in either order.
 * @param prefix what the names of all events with this number begin with, such as `chat:`
 * @param tell counts and sends the number, with the time of counting
 */
export function keepCount(tab: Tab, prefix: string, tell: () => Promise<void>): void {
	inBackground(tell())
	let countedAt = 0
	tab.onAnyOutgoing((name: string, event?: Counted) => {
		if (event?.countedAt === undefined || !name.startsWith(prefix)) return
		const isLate = event.countedAt < countedAt
		// Also of a late one: after the database's clock was set back, all would be late.
		countedAt = event.countedAt
		if (isLate) inBackground(tell())
	})
}
