import { randomUUID } from 'node:crypto'
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { config } from '~/config.server.ts'
import { sessionOf } from '~/features/accounts/accounts.server.ts'
import { features } from '~/features/index.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { log } from '~/lib/log.server.ts'
import { runInRequestScope } from '~/lib/request-scope.server.ts'
import { siteFaultOf } from '~/platform/http/site-fault.server.ts'
import { Allowance } from '~/platform/realtime/allowance.ts'
import { inBackground, io, type SocketData, socketPath, type Tab } from '~/platform/realtime/io.server.ts'
import {
	closeTab,
	countTabs,
	leaveTabs,
	MAX_TABS,
	mayOpenTab,
	openTab,
	roomOf,
	sessionRoom,
	trackPresence,
} from '~/platform/realtime/presence.server.ts'
import { haveTabsAskAgain } from '~/platform/realtime/processes.server.ts'
import { reconnectSpread } from './limits.ts'
import { isCrossSite } from './middleware/allowed-requests.ts'
import { everywhere } from './middleware/security.ts'
import { traceEvent } from './tracing.ts'

const renewEvery = 5_000
/** A page asks a handful of things; a tab that sends more than 60 packets in 10 s is a broken or hostile one. */
const flood = { max: 60, milliseconds: 10_000 }

/** Bytes that may wait for one tab. A page of the chat is a tenth of this; who lags further behind catches up by asking. */
export const MAX_WAITING_BYTES = 1024 * 1024

type Connection = Tab['conn']

/** Why a socket is refused, as the browser gets it. */
class Refusal extends Error {}

/** Says who may connect and which rooms they join; to be called once. @returns what lets everybody go */
export function handleSockets(): () => Promise<void> {
	io.use((socket, next) => {
		const requestId = randomUUID()
		runInRequestScope(requestId, socket.request.headers['user-agent'] ?? '', () =>
			identify(socket.request, socket.handshake.auth.me).catch((error) => Promise.reject(refusal(error))),
		).then((data) => {
			socket.data = { ...data, requestId }
			next()
		}, next)
	})
	io.on('connection', receive)
	let isAway = false
	const renew = async () => {
		try {
			await trackPresence()
		} catch (error) {
			isAway = true
			throw error
		}
		// What was committed as the database went, and what was asked meanwhile, was sent to nobody.
		if (isAway) haveTabsAskAgain()
		isAway = false
	}
	const timer = setInterval(() => inBackground(renew()), renewEvery).unref()
	return async () => {
		clearInterval(timer)
		await leaveTabs()
	}
}

/** Lets sockets in, at this server. */
export function openSockets(server: HttpServer): void {
	io.attach(server)
	// Engine.IO answers what is no WebSocket by itself, past the middleware of all other answers.
	server.prependListener('request', ({ url }, response) => {
		if (url?.startsWith(socketPath)) for (const [name, value] of everywhere(config())) response.setHeader(name, value)
	})
	// Every packet counts, also those before anybody is known and those that name no event of ours.
	io.engine.on('connection', (connection: Connection) => {
		const allowance = new Allowance(flood.max, flood.milliseconds)
		connection.on('packet', () => {
			if (!allowance.take()) connection.close(true)
		})
		endSlowReader(connection)
	})
}

/** Ends the connection of every tab, one after the other, as this process stops. They come back by themselves, at another one. */
export async function sendTabsAway(): Promise<void> {
	const spread = Math.min(io.sockets.sockets.size * reconnectSpread.perTabMs, reconnectSpread.maxMs)
	haveTabsAskAgain(spread)
	await sleep(spread)
}

function receive(socket: Tab): void {
	const { userId, username, sessionId, requestId } = socket.data
	// Of many that were let in at the same moment, the surplus is noticed here.
	if (countTabs(userId) >= MAX_TABS) {
		socket.disconnect(true)
		return
	}
	dropRequest(socket)
	// Every line of the log that a word of this tab leads to names its connection.
	socket.use((packet, next) =>
		runInRequestScope(requestId, '', () => traceEvent(socket.eventNames(), packet, requestId, next)),
	)
	const id = randomUUID()
	void socket.join([roomOf(userId), sessionRoom(sessionId), 'everybody'])
	inBackground(openTab({ id, userId, username, sessionId }))
	for (const feature of features) feature.onConnect?.(socket)
	socket.on('disconnect', () => inBackground(closeTab(id)))
}

/** The request that opened a tab, headers and all, would be held as long as the tab is open. */
function dropRequest(socket: Tab): void {
	Object.assign(socket.conn, { request: null })
	socket.handshake.headers = {}
}

/**
 * @param me for whom the tab's page was made: another member may have signed in since, in another tab
 * @throws Refusal, whose message the browser gets
 */
async function identify(request: IncomingMessage, me: unknown): Promise<Omit<SocketData, 'requestId'>> {
	// CORS does not guard WebSocket: a page of another site may open one, with our reader's cookies.
	const { origin, referer, cookie, 'sec-fetch-site': fetchSite } = request.headers
	const provenance = { origin, referer, cookie, fetchSite: fetchSite?.toString() }
	if (isCrossSite(provenance, new URL(config().publicUrl).origin)) {
		await recordSecurityEvent('refused', { detail: { area: socketPath, reason: 'foreign origin' } })
		throw new Refusal('foreign origin')
	}
	const headers = new Headers({ Cookie: request.headers.cookie ?? '' })
	const session = await sessionOf(new Request(config().publicUrl, { headers }))
	if (!session) throw new Refusal('unauthenticated')
	if (me !== undefined && me !== session.viewer.username) throw new Refusal('another member')
	if (!(await mayOpenTab(session.viewer.id))) throw new Refusal('too many tabs')
	return { userId: session.viewer.id, username: session.viewer.username, sessionId: session.sessionId }
}

/** What went wrong here is not the browser's business; it tries again later. */
function refusal(error: unknown): Error {
	if (error instanceof Refusal) return error
	if (!siteFaultOf(error)) log.warn({ err: error }, 'a socket could not be let in')
	return new Error('unavailable')
}

/** What engine.io does not export of a WebSocket. */
interface Wire {
	bufferedAmount?: number
	terminate?: () => void
}

/**
 * Ends a connection whose reader does not take what is sent, before it holds the server's memory. Nothing is lost: a tab
 * asks for what it missed when it comes back.
 */
function endSlowReader(connection: Connection): void {
	// Packets wait here until the transport takes them, and in the transport until the network does.
	let waiting = 0
	connection.on('flush', () => {
		waiting = 0
	})
	connection.on('packetCreate', ({ data = '' }: { data?: string | Buffer }) => {
		waiting += data.length
		const wire = (connection.transport as unknown as { socket?: Wire }).socket
		if (waiting + (wire?.bufferedAmount ?? 0) <= MAX_WAITING_BYTES) return
		log.info({ waiting }, 'a tab that does not read was closed')
		// Closing in order would wait for the reader.
		wire?.terminate?.()
	})
}
