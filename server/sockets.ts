import { randomUUID } from 'node:crypto'
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { config } from '~/config.server.ts'
import { sessionOf } from '~/features/accounts/viewer.server.ts'
import { features } from '~/features/index.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { log } from '~/lib/log.server.ts'
import { runInRequestScope, siteFaultOf } from '~/lib/request-scope.server.ts'
import { inBackground, io, type SocketData, socketPath, type Tab } from '~/platform/realtime/io.server.ts'
import { MemoryRateLimiter } from '~/platform/realtime/memory-rate-limiter.ts'
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
import { reconnectTabs } from '~/platform/realtime/processes.server.ts'
import { reconnectSpread } from './limits.ts'
import { isCrossSite } from './middleware/allowed-requests.ts'
import { publicRequest } from './middleware/public-request.ts'
import { commonHeaders } from './middleware/security.ts'
import { traceEvent } from './tracing.ts'

const RENEW_EVERY_MS = 5_000
/** A page sends a handful of packets; a tab that sends more than 60 in 10 s is broken or hostile. */
const flood = { max: 60, milliseconds: 10_000 }

/** Bytes that may wait for one tab. A page of the chat is a tenth of this; a tab that lags further behind has to catch up by asking. */
export const MAX_WAITING_BYTES = 1024 * 1024

type Connection = Tab['conn']

/** Why a socket is refused; the browser gets the message. */
class Refusal extends Error {}

/** Installs authentication, rooms and handlers; call it once. @returns disconnects everybody */
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
		// Changes committed just before the outage may not have been announced, and requests during it were not answered.
		if (isAway) reconnectTabs()
		isAway = false
	}
	const timer = setInterval(() => inBackground(renew()), RENEW_EVERY_MS).unref()
	return async () => {
		clearInterval(timer)
		await leaveTabs()
	}
}

/** Accepts sockets on this server. */
export function openSockets(server: HttpServer): void {
	io.attach(server)
	// Engine.IO itself answers requests that are no WebSocket, bypassing the middleware.
	server.prependListener('request', ({ url }, response) => {
		if (url?.startsWith(socketPath))
			for (const [name, value] of commonHeaders(config())) response.setHeader(name, value)
	})
	// Counts all packets, including those before authentication and those with unknown events.
	io.engine.on('connection', (connection: Connection) => {
		const allowance = new MemoryRateLimiter(flood.max, flood.milliseconds)
		connection.on('packet', () => {
			if (!allowance.take()) connection.close(true)
		})
		endSlowReader(connection)
	})
}

/** Disconnects all tabs one after the other, as this process stops. They reconnect by themselves, to another process. */
export async function disconnectTabs(): Promise<void> {
	const spread = Math.min(io.sockets.sockets.size * reconnectSpread.perTabMs, reconnectSpread.maxMs)
	reconnectTabs(spread)
	await sleep(spread)
}

function receive(socket: Tab): void {
	const { userId, username, sessionId, requestId } = socket.data
	// Where many were accepted in the same moment, the limit is checked here again.
	if (countTabs(userId) >= MAX_TABS) {
		socket.disconnect(true)
		return
	}
	dropRequest(socket)
	// Log lines of this tab's events name its connection.
	socket.use((packet, next) =>
		runInRequestScope(requestId, '', () => traceEvent(socket.eventNames(), packet, requestId, next)),
	)
	const id = randomUUID()
	void socket.join([roomOf(userId), sessionRoom(sessionId), 'everybody'])
	inBackground(openTab({ id, userId, username, sessionId }))
	for (const feature of features) feature.onConnect?.(socket)
	socket.on('disconnect', () => inBackground(closeTab(id)))
}

/** Releases the request that opened a tab, which would be held in memory as long as the tab is open. */
function dropRequest(socket: Tab): void {
	Object.assign(socket.conn, { request: null })
	socket.handshake.headers = {}
}

/**
 * @param me username that the tab's page was made for: another member may have logged in since, in another tab
 * @throws Refusal, whose message the browser gets
 */
async function identify(request: IncomingMessage, me: unknown): Promise<Omit<SocketData, 'requestId'>> {
	// CORS does not protect WebSockets: a page of another site may open one, with our reader's cookies.
	const { origin, referer, cookie, 'sec-fetch-site': fetchSite } = request.headers
	const provenance = { origin, referer, cookie, fetchSite: fetchSite?.toString() }
	if (ownOrigins(request).every((own) => isCrossSite(provenance, own))) {
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

/**
 * The public origin of the site, and the one at which the browser has it, as for forms: a site that is tried out is opened at 127.0.0.1
 * or at an address of the local network, too.
 */
function ownOrigins({ headers: { host = '', ...headers } }: IncomingMessage): string[] {
	const { publicUrl, ...settings } = config()
	const own = new URL(publicUrl).origin
	const address = URL.parse(`http://${host}`)
	if (!address) return [own]
	const forwarded = Object.entries({ ...headers, host }).flatMap(([name, value]) =>
		/^(?:host|x-forwarded-)/.test(name) && value !== undefined ? [[name, String(value)] as [string, string]] : [],
	)
	return [own, new URL(publicRequest(new Request(address, { headers: forwarded }), '', settings).url).origin]
}

/** Hides internal errors from the browser, which retries later. */
function refusal(error: unknown): Error {
	if (error instanceof Refusal) return error
	if (!siteFaultOf(error)) log.warn({ err: error }, 'a socket could not be authenticated')
	return new Error('unavailable')
}

/** Internals of a WebSocket that engine.io does not export. */
interface Wire {
	bufferedAmount?: number
	terminate?: () => void
}

/**
 * Disconnects a tab that does not read what is sent, before the server's memory fills up. Nothing is lost: the tab asks for what it
 * missed when it reconnects.
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
		log.info({ waiting }, 'a tab that does not read was disconnected')
		// An orderly close would wait for the client.
		wire?.terminate?.()
	})
}
