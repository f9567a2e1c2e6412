import { AsyncLocalStorage } from 'node:async_hooks'
import type { MiddlewareHandler } from 'hono'
import { onTooMany } from '~/lib/errors.ts'

/** Seconds that are told where a refusal does not know how long it lasts. */
const UNKNOWN_WAIT = 60

const waits = new AsyncLocalStorage<{ seconds: number }>()

onTooMany((seconds) => {
	const wait = waits.getStore()
	if (wait) wait.seconds = Math.max(wait.seconds, seconds)
})

/**
 * Gives every answer with status 429 its Retry-After, whichever route refused and however it told so: pages drop the headers
 * of what an action returns. An answer that names its seconds keeps them.
 */
export function retryAfter(): MiddlewareHandler {
	return (context, next) => {
		const wait = { seconds: 0 }
		return waits.run(wait, async () => {
			await next()
			const { status, headers } = context.res
			if (status === 429 && !headers.has('Retry-After'))
				headers.set('Retry-After', String(wait.seconds || UNKNOWN_WAIT))
		})
	}
}
