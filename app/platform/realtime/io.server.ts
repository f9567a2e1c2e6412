import { Server } from 'socket.io'
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

/** The one Socket.IO server of the process; it survives hot reload, its handlers are swapped in server/sockets.ts. */
export const io = remember(
	'io',
	() =>
		new Server<ClientEvents, ServerEvents, Record<string, never>, SocketData>({
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
