import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Which way bytes go: to the server behind the proxy, back from it, or both. */
type Direction = 'there' | 'back' | 'both'

interface Pair {
	near: Socket
	far: Socket
}

/** A TCP proxy whose network can fail as real ones do: what it holds back arrives later, unless its connections are forgotten. */
export class NetworkProxy {
	port = 0
	private to: NetConnectOpts
	private server: Server | undefined
	private readonly pairs = new Set<Pair>()
	private readonly forgotten = new Set<Pair>()
	private held: Direction | null = null
	private delayMs = 0

	/** @param to the server behind it */
	constructor(to: NetConnectOpts) {
		this.to = to
	}

	/** Accepts connections, at the same port as before. */
	async open(): Promise<void> {
		this.server = createServer((near) => this.pass(near)).listen(this.port, '127.0.0.1')
		await once(this.server, 'listening')
		this.port = (this.server.address() as AddressInfo).port
	}

	/** Resets all connections, and refuses new ones until {@link open}. */
	cut(): void {
		this.server?.close()
		this.destroy(this.pairs)
	}

	/** From now on no bytes pass in this direction, and nobody is told; new connections get no further either. */
	hold(direction: Direction): void {
		this.held = direction
		for (const pair of this.pairs) this.holdPair(pair)
	}

	/** Passes on what was held back, and everything after it. */
	release(): void {
		this.held = null
		for (const { near, far } of this.pairs) {
			near.resume()
			far.resume()
		}
	}

	/** Loses all present connections, as a firewall does that restarts: neither end is told, then or later. New ones work. */
	forget(): void {
		for (const pair of this.pairs) {
			pair.near.pause()
			pair.far.pause()
			this.forgotten.add(pair)
		}
		this.pairs.clear()
		this.held = null
	}

	/** New connections lead to another server; present ones stay. */
	moveTo(to: NetConnectOpts): void {
		this.to = to
	}

	/** Each piece takes this many milliseconds more. */
	slowDown(milliseconds: number): void {
		this.delayMs = milliseconds
	}

	async stop(): Promise<void> {
		this.cut()
		this.destroy(this.forgotten)
	}

	private pass(near: Socket): void {
		const far = connect(this.to)
		const pair = { near, far }
		this.pairs.add(pair)
		this.forward(near, far, pair)
		this.forward(far, near, pair)
		this.holdPair(pair)
	}

	private forward(from: Socket, to: Socket, pair: Pair): void {
		let before = Promise.resolve()
		from.on('data', (chunk) => {
			const delayed = sleep(this.delayMs)
			before = before.then(() => delayed).then(() => void to.write(chunk))
		})
		from.on('error', () => {})
		from.on('close', () => {
			// While the network is silent, nobody learns that the other end is gone.
			if (this.held || !this.pairs.delete(pair)) return
			to.destroy()
		})
	}

	private holdPair({ near, far }: Pair): void {
		if (this.held === 'there' || this.held === 'both') near.pause()
		if (this.held === 'back' || this.held === 'both') far.pause()
	}

	private destroy(pairs: Set<Pair>): void {
		for (const { near, far } of pairs) {
			near.resetAndDestroy()
			far.destroy()
		}
		pairs.clear()
	}
}
