import type { MiddlewareHandler } from 'hono'
import { problem } from '~/lib/problems.ts'

/**
 * Refuses a write that a page of another site sent with our reader's cookies. Browsers name the page's origin with every
 * write; a program that names none has no reader whose cookies it could borrow.
 */
export function sameOrigin(): MiddlewareHandler {
	return async (context, next) => {
		const { method, headers, url } = context.req.raw
		const origin = headers.get('Origin')
		if (method === 'GET' || method === 'HEAD' || !origin || origin === new URL(url).origin) return next()
		const forPrograms = context.req.path.startsWith('/api/v1/')
		// A browser asks so before it reads on behalf of a page elsewhere; the answer allows nothing else.
		if (forPrograms && method === 'OPTIONS') return next()
		return forPrograms ? problem(403, foreign) : context.text(foreign, 403)
	}
}

const foreign = 'This was sent from a page of another site, so it was not done.'
