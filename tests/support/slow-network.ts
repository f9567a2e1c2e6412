import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from './random.ts'

/*
 * A SOCKS5 proxy that simulates the network of a phone with poor reception: high latency, low bandwidth, and packet loss. Like TCP it
 * retransmits lost packets, so that nothing is missing, but a lost packet delays all behind it.
 */

const ONE_WAY_MS = 200
const ROUND_TRIP_MS = 2 * ONE_WAY_MS
/** The retransmission timeout, if the loss is not detected earlier. */
const RETRANSMISSION_TIMEOUT_MS = 1_000
const PACKET_BYTES = 1_400
/** Packets after a lost one that trigger a fast retransmit. */
const DUPLICATES_UNTIL_RESENT = 3
const LOSS = 0.01
const DOWN_BITS_PER_SECOND = 1_600_000
const UP_BITS_PER_SECOND = 750_000
/** Connections that are never refused: a browser does not retry the first page. */
const SPARED_CONNECTIONS = 6
/** The send window of a connection. */
const MAX_BYTES_UNDER_WAY = 64 * 1_024

export interface SlowNetwork {
	/** The proxy's address, for `browser.newContext({ proxy: { server } })`. */
	server: string
	/** The seed of the losses. */
	seed: number
	/** Statistics so far. */
	counts: { connections: number; refused: number; packets: number; lost: number; cut: number }
	/**
	 * Cuts one connection in the middle of a response: at once if it is an open WebSocket with a matching request line, else during the
	 * response to the next matching request.
	 * @returns when it is cut
	 */
	cutOne: (requestLine: RegExp) => Promise<void>
	stop: () => Promise<void>
}

interface Connection {
	near: Socket
	/** Of the last request; HTTP/1.1 has one at a time. */
	requestLine: string
	isWebSocket: boolean
	/** Called after the cut. */
	cutDone: (() => void) | null
}

/** One direction of the link that all connections share: when it is free again, in milliseconds of `performance.now()`. */
interface Link {
	bitsPerSecond: number
	freeAt: number
}

/** Listens on loopback, and connects to loopback only. Refuses one of 100 connections. Without slow start. @param seed an integer */
export async function startSlowNetwork(seed: number): Promise<SlowNetwork> {
	// Separate generators, so that refused connections do not depend on the number of packets.
	const [random, randomOfConnections] = [randomFrom(seed), randomFrom(~seed)]
	const down = { bitsPerSecond: DOWN_BITS_PER_SECOND, freeAt: 0 }
	const up = { bitsPerSecond: UP_BITS_PER_SECOND, freeAt: 0 }
	const counts = { connections: 0, refused: 0, packets: 0, lost: 0, cut: 0 }
	const open = new Set<Connection>()
	const wanted: { requestLine: RegExp; done: () => void }[] = []
	const sockets = new Set<Socket>()
	const isLost = () => {
		counts.packets += 1
		const lost = random() < LOSS
		if (lost) counts.lost += 1
		return lost
	}

	const noteRequest = (connection: Connection, bytes: Buffer) => {
		const [line = ''] = bytes.toString('latin1', 0, 2_000).split('\r\n', 1)
		if (connection.isWebSocket || !/^[A-Z]+ \S+ HTTP\/1\.1$/.test(line)) return
		connection.requestLine = line
		connection.isWebSocket = /\r\nUpgrade: websocket\r\n/i.test(bytes.toString('latin1', 0, 4_000))
		const index = wanted.findIndex(({ requestLine }) => requestLine.test(line))
		if (index >= 0) connection.cutDone = wanted.splice(index, 1)[0]?.done ?? null
	}
	const cut = ({ near }: Connection) => {
		counts.cut += 1
		near.resetAndDestroy()
	}

	const join = (near: Socket, far: Socket) => {
		const connection: Connection = { near, requestLine: '', isWebSocket: false, cutDone: null }
		open.add(connection)
		near.on('close', () => open.delete(connection))
		near.on('data', (bytes: Buffer) => noteRequest(connection, bytes))
		delay(near, far, up, isLost)
		delay(far, near, down, isLost, (bytes) => {
			const half = connection.cutDone && middleOf(bytes)
			if (!half) return bytes
			// Flushed before the cut, so that the browser has the beginning of the response.
			near.write(half, () => {
				cut(connection)
				connection.cutDone?.()
			})
			return null
		})
	}

	const server = createServer((near) => {
		sockets.add(near)
		near.on('close', () => sockets.delete(near)).on('error', () => {})
		near.setNoDelay(true)
		void greet(near, async (port, answer) => {
			counts.connections += 1
			const isRefused = randomOfConnections() < LOSS && counts.connections > SPARED_CONNECTIONS
			// TCP's handshake takes a round trip, and its first packet may be lost too.
			await sleep(ROUND_TRIP_MS + (isLost() ? RETRANSMISSION_TIMEOUT_MS : 0))
			if (isRefused) {
				counts.refused += 1
				return answer('refused')
			}
			const far = connect(port, 'localhost')
			sockets.add(far)
			far.on('close', () => sockets.delete(far)).on('error', () => {})
			far.setNoDelay(true)
			far.once('error', () => answer('refused'))
			far.once('connect', () => {
				answer('connected')
				join(near, far)
			})
		})
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		server: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
		seed,
		counts,
		cutOne: (requestLine) => {
			const socket = [...open].find((each) => each.isWebSocket && requestLine.test(each.requestLine))
			if (socket) return Promise.resolve(cut(socket))
			return new Promise((done) => wanted.push({ requestLine, done }))
		},
		stop: async () => {
			server.close()
			for (const socket of sockets) socket.destroy()
			await once(server, 'close')
		},
	}
}

type Answer = (outcome: 'connected' | 'refused' | 'forbidden') => void

/** The SOCKS5 handshake (RFC 1928): no authentication, CONNECT to this machine only. */
async function greet(near: Socket, open: (port: number, answer: Answer) => Promise<void>): Promise<void> {
	const replies = { connected: 0, forbidden: 2, refused: 5 }
	const answer: Answer = (outcome) => {
		const reply = Buffer.from([5, replies[outcome], 0, 1, 127, 0, 0, 1, 0, 0])
		if (outcome === 'connected') near.write(reply)
		else near.end(reply)
	}
	const [, methods = 0] = await read(near, 2)
	await read(near, methods)
	near.write(Buffer.from([5, 0]))
	const [, command, , kind] = await read(near, 4)
	const host = kind === 1 ? await read(near, 4) : kind === 4 ? await read(near, 16) : await readName(near)
	const port = (await read(near, 2)).readUInt16BE()
	const isHere =
		(kind === 1 && host[0] === 127) ||
		(kind === 3 && host.toString() === 'localhost') ||
		(kind === 4 && host.equals(Buffer.from('00000000000000000000000000000001', 'hex')))
	if (command !== 1 || !isHere) return answer('forbidden')
	await open(port, answer)
}

async function readName(socket: Socket): Promise<Buffer> {
	const [length = 0] = await read(socket, 1)
	return read(socket, length)
}

/** @returns this many bytes once they have arrived; never resolves if the other side closes first */
function read(socket: Socket, length: number): Promise<Buffer> {
	return new Promise((resolve) => {
		const look = () => {
			const bytes: Buffer | null = length === 0 ? Buffer.alloc(0) : socket.read(length)
			if (!bytes) return socket.once('readable', look)
			resolve(bytes)
		}
		look()
	})
}

/** Forwards one direction over a link, packet by packet in order. @param arrive may modify what arrives; null stops forwarding */
function delay(
	from: Socket,
	to: Socket,
	link: Link,
	isLost: () => boolean,
	arrive: (bytes: Buffer) => Buffer | null = (bytes) => bytes,
): void {
	const queue: { at: number; bytes: Buffer | null }[] = []
	let [underWay, isOver, last] = [0, false, 0]
	const enter = (bytes: Buffer | null, late: number) => {
		const now = performance.now()
		link.freeAt = Math.max(now, link.freeAt) + ((bytes?.length ?? 0) * 8_000) / link.bitsPerSecond
		last = Math.max(last, link.freeAt + ONE_WAY_MS + late)
		queue.push({ at: last, bytes })
		if (queue.length === 1) setTimeout(leave, last - now)
	}
	const leave = () => {
		for (let head = queue[0]; head && head.at <= performance.now() + 1; head = queue[0]) {
			queue.shift()
			if (isOver || to.destroyed) continue
			if (!head.bytes) to.end()
			else {
				underWay -= head.bytes.length
				const bytes = arrive(head.bytes)
				if (bytes) to.write(bytes)
				else isOver = true
			}
		}
		if (underWay < MAX_BYTES_UNDER_WAY) from.resume()
		if (queue[0]) setTimeout(leave, queue[0].at - performance.now())
	}
	from.on('data', (bytes: Buffer) => {
		const packets = Math.ceil(bytes.length / PACKET_BYTES)
		for (let index = 0; index < packets; index += 1) {
			const isToldOf = packets - index > DUPLICATES_UNTIL_RESENT
			const late = isLost() ? (isToldOf ? ROUND_TRIP_MS : RETRANSMISSION_TIMEOUT_MS) : 0
			enter(bytes.subarray(index * PACKET_BYTES, (index + 1) * PACKET_BYTES), late)
		}
		underWay += bytes.length
		if (underWay >= MAX_BYTES_UNDER_WAY) from.pause()
	})
	from.on('end', () => enter(null, 0))
	from.on('close', () => from.readableEnded || to.destroy())
	from.resume()
}

/** The first half of a response; null until a part of the body has arrived. */
function middleOf(bytes: Buffer): Buffer | null {
	const head = bytes.indexOf('\r\n\r\n')
	const start = head < 0 ? 0 : head + 4
	return bytes.length - start < 2 ? null : bytes.subarray(0, start + Math.floor((bytes.length - start) / 2))
}
