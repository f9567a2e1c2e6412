import { Server, type Socket } from 'socket.io'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { ClientEvents, ServerEvents } from './events.ts'

/** The path of the socket, apart from every page. */
export const socketPath = '/realtime'

/** What a socket knows of who opened it. */
export interface SocketData {
	userId: number
	username: string
	sessionId: number
	/** Names the connection in the log. */
	requestId: string
}

/** What processes ask of each other. */
interface ProcessEvents {
	/** To be answered once they are read again. */
	'settings saved': (done: (isRead: boolean) => void) => void
}

/** A member's tab, as the server sees it. */
export type Tab = Socket<ClientEvents, ServerEvents, ProcessEvents, SocketData>

/** The one Socket.IO server of the process; it survives hot reload, its handlers are swapped in server/sockets.ts. */
export const io = remember(
	'io',
	() =>
		new Server<ClientEvents, ServerEvents, ProcessEvents, SocketData>({
			path: socketPath,
			serveClient: false,
			// The browser's client uses nothing else, and so there is no second way in to look after.
			transports: ['websocket'],
			maxHttpBufferSize: 64 * 1024,
			// A tab whose network is gone is noticed within 20 s, and its member is offline 30 s after that.
			pingInterval: 10_000,
			pingTimeout: 10_000,
		}),
)

/** Waits for work that a tab led to. What fails is logged: the tab asks again when it comes back. */
export function inBackground(work: Promise<unknown>): void {
	work.catch((error) => log.warn({ err: error }, 'work for a tab failed'))
}

/**
 * Tells every tab in a room what happened. Call it after the commit: the socket delivers, it does not decide.
 * @param room `forum`, `query:{id}`, `user:{id}`, `presence:{username}` or `everybody`
 */
export function announce<Name extends keyof ServerEvents>(
	room: string,
	name: Name,
	...event: Parameters<ServerEvents[Name]>
): void {
	io.to(room).emit(name, ...event)
}
