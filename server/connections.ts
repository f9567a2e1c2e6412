import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { networkOf } from '~/lib/networks.server.ts'
import { connectionLimits, shutdownLimits } from './limits.ts'

/** An open connection that is no WebSocket. */
interface Connection {
	/** The address that it counts for: with IPv6 the network. */
	address: string
	/** Unfinished responses; several when a client pipelines requests. */
	answers: Set<ServerResponse>
	/** `performance.now()` of its last activity. */
	activeAt: number
	/** Bytes received by then. */
	read: number
	/** The request whose body is still being received. */
	body?: { request: IncomingMessage; since: number; read: number }
}

const DRAIN_LOOK_MS = 25

/** The open connections of a server: their limits, and their orderly end. Socket.IO handles WebSockets, which leave this list. */
export class Connections {
	readonly #open = new Map<Socket, Connection>()
	readonly #perAddress = new Map<string, number>()
	readonly #maxPerAddress: number
	#isDraining = false

	/** @param behindProxy whether all connections come from the proxy's address */
	constructor(server: Server, { behindProxy, maxPerAddress }: { behindProxy: boolean; maxPerAddress?: number }) {
		const max = maxPerAddress ?? connectionLimits.maxPerAddress
		this.#maxPerAddress = behindProxy ? Number.POSITIVE_INFINITY : max
		server.headersTimeout = connectionLimits.headersMs
		server.requestTimeout = connectionLimits.requestMs
		server.keepAliveTimeout = behindProxy ? connectionLimits.proxyKeepAliveMs : connectionLimits.keepAliveMs
		server.on('connection', (socket) => this.#opened(socket))
		server.prependListener('request', (request, response) => this.#asked(request, response))
		server.on('upgrade', (_request, socket) => this.#forget(socket as Socket))
		const timer = setInterval(() => this.#endSlowBodies(), connectionLimits.checkEveryMs).unref()
		server.once('close', () => clearInterval(timer))
	}

	/**
	 * Ends all connections in order; the server must have stopped listening. Each response from now on says `Connection: close`, so
	 * that its client opens the next connection elsewhere. An idle connection is closed after `shutdownLimits.idleConnectionMs`: closed
	 * earlier, it could cross a request that was just sent.
	 * @param limitMs milliseconds after which open connections are destroyed
	 */
	async drain(limitMs: number): Promise<void> {
		this.#isDraining = true
		for (const { answers } of this.#open.values()) for (const answer of answers) answer.shouldKeepAlive = false
		for (const end = performance.now() + limitMs; this.#open.size > 0 && performance.now() < end; ) {
			const now = performance.now()
			// Timers run before pending input is read: after this process was busy, or after a read that took long, connections with a
			// request would seem idle.
			await nextTurn()
			this.#endIdle(now)
			await sleep(DRAIN_LOOK_MS)
		}
		this.end()
	}

	/** Destroys all connections. */
	end(): void {
		for (const socket of this.#open.keys()) socket.destroy()
	}

	#opened(socket: Socket): void {
		const address = networkOf(socket.remoteAddress ?? '')
		const count = (this.#perAddress.get(address) ?? 0) + 1
		if (count > this.#maxPerAddress) {
			socket.end(
				'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
			)
			socket.destroySoon()
			return
		}
		this.#perAddress.set(address, count)
		this.#open.set(socket, { address, answers: new Set(), activeAt: performance.now(), read: 0 })
		socket.once('close', () => this.#forget(socket))
	}

	#asked(request: IncomingMessage, response: ServerResponse): void {
		const { socket } = request
		const connection = this.#open.get(socket)
		if (!connection) return
		const now = performance.now()
		connection.answers.add(response)
		if (connection.answers.size > connectionLimits.maxPipelined) return void socket.destroy()
		connection.body = { request, since: now, read: socket.bytesRead }
		if (this.#isDraining) response.shouldKeepAlive = false
		response.once('close', () => {
			connection.answers.delete(response)
			connection.activeAt = performance.now()
		})
	}

	/** Destroys the connections that were idle for long at a moment before what had arrived was read. */
	#endIdle(before: number): void {
		for (const [socket, connection] of this.#open) {
			// An incomplete request has begun.
			if (socket.bytesRead !== connection.read) {
				connection.read = socket.bytesRead
				connection.activeAt = performance.now()
			}
			if (connection.answers.size === 0 && before - connection.activeAt >= shutdownLimits.idleConnectionMs)
				socket.destroySoon()
		}
	}

	#endSlowBodies(): void {
		const now = performance.now()
		for (const [socket, connection] of this.#open) {
			const { body } = connection
			if (!body) continue
			if (body.request.complete) connection.body = undefined
			else if (isTooSlow(body, socket, now)) socket.end(requestTimeout, () => socket.destroy())
		}
	}

	#forget(socket: Socket): void {
		const connection = this.#open.get(socket)
		if (!connection) return
		this.#open.delete(socket)
		const left = (this.#perAddress.get(connection.address) ?? 0) - 1
		if (left > 0) this.#perAddress.set(connection.address, left)
		else this.#perAddress.delete(connection.address)
	}
}

const requestTimeout = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** Whether the client sends a body too slowly, and not because we read it slowly. */
function isTooSlow({ request, since, read }: NonNullable<Connection['body']>, socket: Socket, now: number): boolean {
	const elapsed = now - since
	if (elapsed < connectionLimits.slowBodyMs || request.readableLength >= request.readableHighWaterMark) return false
	return socket.bytesRead - read < (elapsed / 1_000) * connectionLimits.minBodyBytesPerSecond
}
