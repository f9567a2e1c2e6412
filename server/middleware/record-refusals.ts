import type { MiddlewareHandler } from 'hono'
import { recordSecurityEvent } from '~/features/accounts/security-log.server.ts'
import { requestScope } from '~/lib/request-scope.server.ts'

/**
 * Names the request in every answer, and records what was refused: 429 always, 403 of anything, and writes without a login
 * that works (401).
 */
export function recordRefusals(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const scope = requestScope()
		const { status, headers } = context.res
		// The error page of a visitor that several wait for names the request that it was made for.
		if (scope && !headers.has('X-Request-Id')) headers.set('X-Request-Id', scope.requestId)
		const { method, path } = context.req
		const writes = method !== 'GET' && method !== 'HEAD'
		if (status !== 429 && status !== 403 && !(status === 401 && writes)) return
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
