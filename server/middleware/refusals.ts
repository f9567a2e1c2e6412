import { AsyncLocalStorage } from 'node:async_hooks'
import type { MiddlewareHandler } from 'hono'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { onTooManyRequests } from '~/lib/errors.ts'
import { requestScope } from '~/lib/request-scope.server.ts'

/**
 * Adds the request id to every response except assets, and logs refusals: 401 without a valid login or token, 403 for missing
 * permissions or a foreign origin, 429 for rate limits.
 */
export function recordRefusals(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const scope = requestScope()
		const { status, headers } = context.res
		const { method, path } = context.req
		// Assets that were found are not logged, and a page loads ten of them.
		const isAsset = status === 200 && path.startsWith('/assets/')
		// A shared error page already names the request that it was made for.
		if (scope && !isAsset && !headers.has('X-Request-Id')) headers.set('X-Request-Id', scope.requestId)
		if (status !== 401 && status !== 403 && status !== 429) return
		const kind = status === 429 ? 'rate-limited' : 'refused'
		await recordSecurityEvent(kind, { userId: scope?.userId ?? null, detail: { status, method, area: areaOf(path) } })
	}
}

/** The first segment of a path: the rest may name a member. */
function areaOf(path: string): string {
	return path
		.split('/')
		.slice(0, path.startsWith('/api/') ? 4 : 2)
		.join('/')
}

/** Seconds to wait where a refusal does not say. */
const UNKNOWN_WAIT = 60

const waits = new AsyncLocalStorage<{ seconds: number }>()

onTooManyRequests((seconds) => {
	const wait = waits.getStore()
	if (wait) wait.seconds = Math.max(wait.seconds, seconds)
})

/**
 * Adds Retry-After to every response with status 429, whatever route refused: pages lose the headers of an action's result. A
 * response that already names its seconds keeps them.
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
