import { AsyncLocalStorage } from 'node:async_hooks'
import type { MiddlewareHandler } from 'hono'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { onTooMany } from '~/lib/errors.ts'
import { requestScope } from '~/lib/request-scope.server.ts'

/**
 * Names the request in every answer but assets, and records what was refused: without a login or a token that works (401), not allowed or
 * from a foreign origin (403), too often (429).
 */
export function recordRefusals(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const scope = requestScope()
		const { status, headers } = context.res
		const { method, path } = context.req
		// A script or font that was found is in no log, and a page loads ten of them.
		const isAsset = status === 200 && path.startsWith('/assets/')
		// The error page of a visitor that several wait for names the request that it was made for.
		if (scope && !isAsset && !headers.has('X-Request-Id')) headers.set('X-Request-Id', scope.requestId)
		if (status !== 401 && status !== 403 && status !== 429) return
		const kind = status === 429 ? 'rate-limited' : 'refused'
		await recordSecurityEvent(kind, { userId: scope?.userId ?? null, detail: { status, method, area: areaOf(path) } })
	}
}

/** Which part of the site was asked for; the rest of a path can name a member. */
function areaOf(path: string): string {
	return path
		.split('/')
		.slice(0, path.startsWith('/api/') ? 4 : 2)
		.join('/')
}

/** The seconds in the answer where a refusal does not know how long it lasts. */
const UNKNOWN_WAIT = 60

const waits = new AsyncLocalStorage<{ seconds: number }>()

onTooMany((seconds) => {
	const wait = waits.getStore()
	if (wait) wait.seconds = Math.max(wait.seconds, seconds)
})

/**
 * Gives every answer with status 429 its Retry-After, whichever route refused and in whatever form: pages drop the headers
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
