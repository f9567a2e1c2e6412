import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { Unavailable } from '~/lib/errors.ts'

interface Limits {
	/** Requests that one process works on at the same time. More would each take longer, and none would end sooner. */
	maxAtOnce: number
	/** Requests of one network address that may wait; any more is refused at once. */
	maxWaiting: number
	/** Milliseconds that a request may wait for its turn. */
	maxWaitMs: number
}

const usual: Limits = { maxAtOnce: 32, maxWaiting: 500, maxWaitMs: 8_000 }

const busy = 'The site is very busy. Please try again in a few seconds.'

/**
 * Lets network addresses take turns when there is more to do than the process can: a thousand requests of one address hold
 * up that address, and the single request of another one is next. Writes do not wait, as their bodies are limited by
 * themselves; nor do pictures, as each may wait for a storage elsewhere.
 * @param addressOf who asks
 * @returns middleware that answers 503 where a turn does not come in time
 */
export function fairTurns(
	addressOf: (request: Request) => string,
	limits: Limits = usual,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
	const turns = new FairTurns(limits)
	return async (context, next) => {
		const { method, path } = context.req
		if ((method !== 'GET' && method !== 'HEAD') || path.startsWith('/media/')) return next()
		// Whoever hung up while waiting needs no answer.
		const { outgoing } = context.env
		await turns.take(addressOf(context.req.raw), () => outgoing.destroyed)
		try {
			await next()
		} finally {
			turns.release()
		}
	}
}

class FairTurns {
	readonly #limits: Limits
	#active = 0
	/** What begins each request that waits, by address. The address whose request was begun last stands last. */
	readonly #waiting = new Map<string, Set<() => void>>()

	constructor(limits: Limits) {
		this.#limits = limits
	}

	/**
	 * Waits for a turn, which ends by `release`.
	 * @throws Unavailable when too many wait, the turn does not come in time, or the reader is gone when it does
	 */
	async take(address: string, isGone: () => boolean): Promise<void> {
		if (this.#active < this.#limits.maxAtOnce) {
			this.#active += 1
			return
		}
		const queue = this.#waiting.get(address) ?? new Set()
		if (queue.size >= this.#limits.maxWaiting) throw new Unavailable(busy)
		this.#waiting.set(address, queue)
		await new Promise<void>((resolve, reject) => {
			const leave = () => {
				clearTimeout(timer)
				queue.delete(start)
				if (queue.size === 0) this.#waiting.delete(address)
			}
			const timer = setTimeout(() => {
				leave()
				reject(new Unavailable(busy))
			}, this.#limits.maxWaitMs)
			const start = () => {
				leave()
				if (isGone()) return reject(new Unavailable('The reader hung up.'))
				this.#active += 1
				resolve()
			}
			queue.add(start)
		})
	}

	release(): void {
		this.#active -= 1
		while (this.#active < this.#limits.maxAtOnce) {
			const [next] = this.#waiting
			if (!next) return
			const [address, queue] = next
			const [start] = queue
			start?.()
			if (queue.size === 0) continue
			this.#waiting.delete(address)
			this.#waiting.set(address, queue)
		}
	}
}
