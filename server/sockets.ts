import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'socket.io'
import { config } from '~/config.server.ts'
import { sessionOf } from '~/features/accounts/accounts.server.ts'
import { log } from '~/lib/log.server.ts'
import { type ClientEvents, mostWatched, type ServerEvents } from '~/realtime/events.ts'
import { io, type SocketData } from '~/realtime/io.server.ts'
import { listOnlineAmong } from '~/realtime/presence.queries.server.ts'
import {
	closeTab,
	countTabs,
	keepPresence,
	leaveTabs,
	mostTabs,
	openTab,
	watchersOf,
} from '~/realtime/presence.server.ts'
import { Allowance } from './allowance.ts'

const renewEvery = 5_000
/** A page asks a handful of things; a tab that says more than 60 things in 10 s is a broken or hostile one. */
const flood = { most: 60, milliseconds: 10_000 }

type Tab = Socket<ClientEvents, ServerEvents, Record<string, never>, SocketData>

/** Says who may connect and which rooms they join. Calling it again, after a hot reload, swaps the handlers. */
export function handleSockets(): () => Promise<void> {
	io.engine?.removeAllListeners('connection_error')
	io.removeAllListeners('connection')
	io.use((socket, next) => {
		identify(socket.request)
			.then((data) => {
				socket.data = data
				next()
			})
			.catch((error: Error) => next(error))
	})
	io.on('connection', receive)
	const timer = setInterval(() => quietly(keepPresence()), renewEvery).unref()
	return async () => {
		clearInterval(timer)
		await leaveTabs()
	}
}

function receive(socket: Tab): void {
	const { userId, username, sessionId } = socket.data
	const id = randomUUID()
	const allowance = new Allowance(flood.most, flood.milliseconds)
	void socket.join([`user:${userId}`, 'everybody'])
	quietly(openTab({ id, userId, username, sessionId }))
	socket.use((_event, next) => {
		if (allowance.take()) next()
		else socket.disconnect(true)
	})
	socket.on('presence:watch', (usernames, answer) => quietly(watch(socket, usernames, answer)))
	socket.on('disconnect', () => quietly(closeTab(id)))
}

/** @throws Error whose message the browser is told */
async function identify(request: IncomingMessage): Promise<SocketData> {
	// CORS does not guard WebSocket: a page of another site may open one, with our reader's cookies.
	if (request.headers.origin && request.headers.origin !== new URL(config().publicUrl).origin)
		throw new Error('foreign origin')
	const headers = new Headers({ Cookie: request.headers.cookie ?? '' })
	const session = await sessionOf(new Request(config().publicUrl, { headers })).catch(() => null)
	if (!session) throw new Error('unauthenticated')
	if (countTabs(session.viewer.id) >= mostTabs) throw new Error('too many tabs')
	return { userId: session.viewer.id, username: session.viewer.username, sessionId: session.sessionId }
}

/** What comes from a socket is anybody's word: anything but a list of names is passed over. */
async function watch(socket: Tab, usernames: unknown, answer: unknown): Promise<void> {
	if (!Array.isArray(usernames) || usernames.length > mostWatched || typeof answer !== 'function') return
	const names = usernames.filter((name): name is string => typeof name === 'string' && /^[a-z0-9_.-]{1,64}$/.test(name))
	for (const room of socket.rooms) if (room.startsWith('presence:')) await socket.leave(room)
	await socket.join(names.map(watchersOf))
	answer(await listOnlineAmong(names))
}

function quietly(work: Promise<unknown>): void {
	work.catch((error) => log.warn({ err: error }, 'presence could not be written'))
}
