import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom } from './random.ts'

/*
 * The network of a phone with a poor signal, as a SOCKS5 proxy that a browser is given: far away, narrow, and losing packets.
 * What TCP makes of a lost packet is what a program sees: nothing is missing, but it and all behind it come late.
 */

const ONE_WAY_MS = 200
const ROUND_TRIP_MS = 2 * ONE_WAY_MS
/** What is sent again when nothing tells of the loss sooner. */
const RETRANSMISSION_TIMEOUT_MS = 1_000
const PACKET_BYTES = 1_400
/** So many packets behind a lost one tell of it within a round trip. */
const DUPLICATES_UNTIL_RESENT = 3
const LOSS = 0.01
const DOWN_BITS_PER_SECOND = 1_600_000
const UP_BITS_PER_SECOND = 750_000
/** So many connections, what a browser opens for a first page, are spared: a browser does not open that page again by itself. */
const SPARED_CONNECTIONS = 6
/** A program that sends has to wait while more than this is under way on its connection. */
const MAX_BYTES_UNDER_WAY = 64 * 1_024

export interface SlowNetwork {
	/** For `browser.newContext({ proxy: { server } })`. */
	server: string
	/** What the losses were drawn from: the same seed draws the same ones in the same order. */
	seed: number
	/** What happened so far. */
	counts: { connections: number; refused: number; packets: number; lost: number; cut: number }
	/**
	 * Breaks off one connection in the middle of an answer: at once if it is an open WebSocket whose request line matches, else in the
	 * middle of the answer to the next request that does.
	 * @returns when it is broken
	 */
	cutOne: (requestLine: RegExp) => Promise<void>
	stop: () => Promise<void>
}

interface Connection {
	near: Socket
	/** Of the last request; HTTP/1.1 has one at a time. */
	requestLine: string
	isWebSocket: boolean
	/** Called when the answer that is to break off has done so. */
	cutDone: (() => void) | null
}

/** A link that all connections share in one direction: when its end is free again, in milliseconds of `performance.now()`. */
interface Link {
	bitsPerSecond: number
	freeAt: number
}

/**
 * Listens on loopback, and leads to loopback alone. Of 100 connections one is refused. It has no slow start: what one connection sends comes as fast as the link lets it.
 * @param seed a whole number
 */
export async function startSlowNetwork(seed: number): Promise<SlowNetwork> {
	// Apart, so that which connection is refused does not hang on how many packets came before it.
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
			// Written as a whole before the connection breaks, so that the browser has the beginning of the answer.
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
			// The handshake of TCP takes a round trip, and its first packet may be lost as any other.
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

/** The beginning of SOCKS5 (RFC 1928): no authentication, CONNECT to this machine and nothing else. */
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

/** @returns so many bytes, as soon as they are there; nothing ever if the other side closes first */
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

/**
 * Passes on what one side sends, over a link, in order, packet by packet.
 * @param arrive may change what arrives; with null nothing more is passed on
 */
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

/** The beginning of an answer, until the middle of its body; null while no body has come. */
function middleOf(bytes: Buffer): Buffer | null {
	const head = bytes.indexOf('\r\n\r\n')
	const start = head < 0 ? 0 : head + 4
	return bytes.length - start < 2 ? null : bytes.subarray(0, start + Math.floor((bytes.length - start) / 2))
}
