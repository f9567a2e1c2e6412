import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { Unavailable } from '~/lib/errors.ts'
import { networkOf } from '~/lib/networks.server.ts'

interface Limits {
	/** Requests that a process handles concurrently. With more, each would take longer and none would end sooner. */
	maxAtOnce: number
	/** Requests of one network address that may wait; more are refused at once. */
	maxWaiting: number
	/** Milliseconds that a request may wait. */
	maxWaitMs: number
}

const usual: Limits = { maxAtOnce: 32, maxWaiting: 500, maxWaitMs: 8_000 }

const busyMessage = 'The site is very busy. Please try again in a few seconds.'

/**
 * Schedules requests fairly between network addresses when there are more than the process can handle: a thousand requests of one
 * address delay that address only, and the single request of another is next. Writes do not wait, as their bodies are limited
 * separately; nor do pictures, as each may wait for a remote storage.
 * @param addressOf the client's address; those of one network of IPv6 are one
 * @returns middleware that answers 503 when a request has waited too long
 */
export function fairQueue(
	addressOf: (request: Request) => string,
	limits: Limits = usual,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
	const turns = new FairTurns(limits)
	return async (context, next) => {
		const { method, path } = context.req
		if ((method !== 'GET' && method !== 'HEAD') || path.startsWith('/media/')) return next()
		// A client that disconnected while waiting needs no response.
		const { outgoing } = context.env
		await turns.take(networkOf(addressOf(context.req.raw)), () => outgoing.destroyed)
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
	/** Waiting requests by address, as functions that begin them. The address that was served last is last. */
	readonly #waiting = new Map<string, Set<() => void>>()

	constructor(limits: Limits) {
		this.#limits = limits
	}

	/**
	 * Waits for a turn, which ends by `release`.
	 * @throws Unavailable when too many wait, the wait takes too long, or the client has disconnected
	 */
	async take(address: string, isGone: () => boolean): Promise<void> {
		if (this.#active < this.#limits.maxAtOnce) {
			this.#active += 1
			return
		}
		const queue = this.#waiting.get(address) ?? new Set()
		if (queue.size >= this.#limits.maxWaiting) throw new Unavailable(busyMessage)
		this.#waiting.set(address, queue)
		await new Promise<void>((resolve, reject) => {
			const leave = () => {
				clearTimeout(timer)
				queue.delete(start)
				if (queue.size === 0) this.#waiting.delete(address)
			}
			const timer = setTimeout(() => {
				leave()
				reject(new Unavailable(busyMessage))
			}, this.#limits.maxWaitMs)
			const start = () => {
				leave()
				if (isGone()) return reject(new Unavailable('The client disconnected.'))
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
