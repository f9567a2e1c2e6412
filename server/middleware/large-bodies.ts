import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'

/** Bytes of a body up to which any number may be read at the same time: what a form without pictures may have. */
export const maxSmallBody = 512 * 1024

interface Limits {
	/** Larger bodies that one process reads and works on at the same time: each is held in memory, up to 7.5 MB. */
	maxAtOnce: number
	/** The same from one network address, so that one slow client does not keep all others waiting. */
	maxPerAddress: number
	/** Milliseconds that a request may wait for its turn; its body waits with the client meanwhile. */
	maxWaitMs: number
}

const usual: Limits = { maxAtOnce: 16, maxPerAddress: 8, maxWaitMs: 10_000 }

/**
 * Has large bodies read a few at a time, as memory that was once taken is given back late or never.
 * @param addressOf who asks, as the limit for an address counts them
 */
export function limitLargeBodies(
	addressOf: (request: Request) => string,
	{ maxAtOnce, maxPerAddress, maxWaitMs }: Limits = usual,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
	const reading = new Map<string, number>()
	let count = 0
	const waiting = new Set<() => void>()
	const take = (address: string) => {
		const own = reading.get(address) ?? 0
		if (count >= maxAtOnce || own >= maxPerAddress) return false
		reading.set(address, own + 1)
		count += 1
		return true
	}
	const release = (address: string) => {
		const own = (reading.get(address) ?? 1) - 1
		if (own > 0) reading.set(address, own)
		else reading.delete(address)
		count -= 1
		for (const look of waiting) look()
	}
	/** @returns whether its turn came before the time was up or the client was gone */
	const turn = (address: string, isGone: () => boolean) =>
		new Promise<boolean>((resolve) => {
			const end = (hasTurn: boolean) => {
				clearTimeout(timer)
				waiting.delete(look)
				resolve(hasTurn)
			}
			const look = () => {
				if (isGone()) end(false)
				else if (take(address)) end(true)
			}
			const timer = setTimeout(() => end(false), maxWaitMs)
			waiting.add(look)
			look()
		})
	return async (context, next) => {
		if (!isLarge(context.req.raw)) return next()
		const address = addressOf(context.req.raw)
		const { incoming } = context.env
		if (!(await turn(address, () => incoming.destroyed)))
			return context.text('Too many files are being sent at the moment. Please try again shortly.', 503, {
				'Retry-After': '10',
			})
		try {
			await next()
		} finally {
			release(address)
		}
	}
}

function isLarge({ method, headers }: Request): boolean {
	if (method === 'GET' || method === 'HEAD') return false
	return headers.has('Transfer-Encoding') || Number(headers.get('Content-Length')) > maxSmallBody
}
