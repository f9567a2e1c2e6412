import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { config } from '~/config.server.ts'
import { viewerFromRequest } from '~/features/accounts/accounts.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { announce } from '~/realtime/announce.server.ts'
import { io } from '~/realtime/io.server.ts'
import {
	addConnection,
	forgetConnections,
	removeConnection,
	renewConnections,
} from '~/realtime/presence.queries.server.ts'

/** A reload or a change of network closes a tab's socket for a moment; within this time nobody is told. */
const graceMilliseconds = 30_000
const renewMilliseconds = 15_000

/** The tabs whose rows in `connections` this process renews: row id → member id. */
const tabs = remember('tabs', () => new Map<string, number>())

/** Says who may connect and which rooms they join. Calling it again, after a hot reload, swaps the handlers. */
export function handleSockets(): () => Promise<void> {
	io.engine?.removeAllListeners('connection_error')
	io.removeAllListeners('connection')
	io.use((socket, next) => {
		identify(socket.request)
			.then((viewer) => {
				socket.data = viewer
				next()
			})
			.catch(() => next(new Error('unauthenticated')))
	})
	io.on('connection', (socket) => {
		const viewer = socket.data as SignedIn
		const tab = randomUUID()
		void socket.join([`user:${viewer.id}`, 'everybody'])
		tabs.set(tab, viewer.id)
		quietly(open(tab, viewer))
		socket.on('disconnect', () => setTimeout(() => quietly(close(tab, viewer)), graceMilliseconds).unref())
	})
	const timer = setInterval(() => quietly(renewConnections([...tabs.keys()])), renewMilliseconds).unref()
	return async () => {
		clearInterval(timer)
		const ids = [...tabs.keys()]
		tabs.clear()
		await forgetConnections(ids)
	}
}

async function identify(request: IncomingMessage): Promise<SignedIn> {
	// CORS does not guard WebSocket: a page of another site may open one, with our reader's cookies.
	if (request.headers.origin && request.headers.origin !== new URL(config().publicUrl).origin)
		throw new Error('foreign origin')
	const headers = new Headers({ Cookie: request.headers.cookie ?? '' })
	const { viewer } = await viewerFromRequest(new Request(config().publicUrl, { headers }))
	if (!viewer) throw new Error('no session')
	return viewer
}

async function open(tab: string, viewer: SignedIn): Promise<void> {
	if (await addConnection(tab, viewer.id))
		announce('everybody', 'presence:changed', { username: viewer.username, online: true })
}

async function close(tab: string, viewer: SignedIn): Promise<void> {
	if (!tabs.delete(tab)) return
	if (await removeConnection(tab, viewer.id))
		announce('everybody', 'presence:changed', { username: viewer.username, online: false })
}

function quietly(work: Promise<unknown>): void {
	work.catch((error) => log.warn({ err: error }, 'presence could not be written'))
}
