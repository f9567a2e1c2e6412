import { connect, type Socket } from 'node:net'

/** The server and session of a tab. */
export interface TabAddress {
	port: number
	/** The session cookie. */
	cookie: string
	/** The local address to connect from: each of 127.0.0.0/8 has ports of its own. */
	from: string
}

type Listener = (event: unknown) => void

const key = Buffer.from('sixteen of bytes').toString('base64')

/**
 * An open tab without a browser or client library: a minimal implementation of WebSocket, engine.io and Socket.IO, so that ten thousand fit
 * beside the server and the server is what is measured.
 */
export class Tab {
	/** Listeners by event name. */
	readonly heard = new Map<string, Listener>()
	private readonly address: TabAddress
	private readonly answers = new Map<number, Listener>()
	private socket: Socket | null = null
	private rest: Buffer = Buffer.alloc(0)
	/** Until the HTTP response, which frames follow. */
	private waiting = true
	private asked = 0
	private opened: { resolve: () => void; reject: (error: Error) => void } | null = null

	constructor(address: TabAddress) {
		this.address = address
	}

	get connected(): boolean {
		return this.socket !== null && this.opened === null
	}

	/** Opens the connection. @throws Error if it is refused or closed before it is established */
	connect(): Promise<void> {
		const { port, cookie, from } = this.address
		const { promise, resolve, reject } = Promise.withResolvers<void>()
		this.opened = { resolve, reject }
		this.rest = Buffer.alloc(0)
		this.waiting = true
		const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
		this.socket = socket
		socket.on('connect', () =>
			socket.write(
				`GET /realtime/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nCookie: ${cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
			),
		)
		socket.on('data', (chunk: Buffer) => this.take(chunk))
		socket.on('error', () => {})
		socket.on('close', () => {
			if (this.socket !== socket) return
			this.socket = null
			this.opened?.reject(new Error('A connection ended before it stood.'))
			this.opened = null
		})
		return promise
	}

	/** Cuts the connection without a close frame, as a lost network does. */
	cut(): void {
		this.socket?.resetAndDestroy()
		this.socket = null
		this.answers.clear()
	}

	/** Emits an event. */
	say(name: string, what: unknown): void {
		this.write(`42${JSON.stringify([name, what])}`)
	}

	/** Emits an event with an acknowledgement. */
	ask(name: string, what: unknown, answer: Listener): void {
		this.asked += 1
		this.answers.set(this.asked, answer)
		this.write(`42${this.asked}${JSON.stringify([name, what])}`)
	}

	private write(text: string): void {
		const payload = Buffer.from(text)
		const long = payload.length > 125
		const frame = Buffer.alloc((long ? 8 : 6) + payload.length)
		// A text frame. Clients have to mask frames; a mask of zeros leaves the payload unchanged.
		frame[0] = 0x81
		frame[1] = 0x80 | (long ? 126 : payload.length)
		if (long) frame.writeUInt16BE(payload.length, 2)
		payload.copy(frame, long ? 8 : 6)
		this.socket?.write(frame)
	}

	private take(chunk: Buffer): void {
		let bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk
		if (this.waiting) {
			const end = bytes.indexOf('\r\n\r\n')
			this.waiting = end < 0
			if (end >= 0 && bytes.toString('latin1', 0, 12) !== 'HTTP/1.1 101') this.fail('The server refused a WebSocket.')
			else if (end >= 0) bytes = bytes.subarray(end + 4)
		}
		while (!this.waiting && bytes.length >= 2) {
			const frame = frameIn(bytes)
			if (!frame) break
			bytes = bytes.subarray(frame.end)
			this.hear(frame.text)
		}
		// Copied, as a slice would keep the whole chunk in memory.
		this.rest = bytes.length > 0 ? Buffer.from(bytes) : bytes
	}

	private hear(text: string): void {
		if (text === '2') this.write('3')
		else if (text.startsWith('0')) this.write('40')
		else if (text.startsWith('40')) {
			this.opened?.resolve()
			this.opened = null
		} else if (text.startsWith('44')) this.fail(`The server refused a tab: ${text.slice(2)}`)
		else if (text.startsWith('42')) {
			const [name, what] = JSON.parse(text.slice(2))
			this.heard.get(name)?.(what)
		} else if (text.startsWith('43')) {
			const from = text.indexOf('[')
			const id = Number(text.slice(2, from))
			this.answers.get(id)?.(JSON.parse(text.slice(from))[0])
			this.answers.delete(id)
		}
	}

	private fail(reason: string): void {
		this.opened?.reject(new Error(reason))
		this.opened = null
		this.socket?.destroy()
	}
}

/** The first complete frame, unmasked, as servers send them; null if it is incomplete. */
function frameIn(bytes: Buffer): { text: string; end: number } | null {
	const short = (bytes[1] ?? 0) & 0x7f
	const head = short === 127 ? 10 : short === 126 ? 4 : 2
	if (bytes.length < head) return null
	const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
	const end = head + length
	return bytes.length < end ? null : { text: bytes.toString('utf8', head, end), end }
}
