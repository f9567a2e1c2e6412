import { Server } from 'socket.io'
import { remember } from '~/lib/remember.ts'
import type { ServerEvents } from './events.ts'

/** The path of the socket, apart from every page. */
export const socketPath = '/realtime'

/** The one Socket.IO server of the process; it survives hot reload, its handlers are swapped in server/sockets.ts. */
export const io = remember(
	'io',
	() =>
		new Server<Record<string, never>, ServerEvents>({
			path: socketPath,
			serveClient: false,
			maxHttpBufferSize: 64 * 1024,
			pingInterval: 20_000,
			pingTimeout: 20_000,
		}),
)
