import type { MiddlewareHandler } from 'hono'

/**
 * Refuses a write that a page of another site sent with our reader's cookies. Browsers name the page's origin with every
 * write; a program that names none has no reader whose cookies it could borrow.
 */
export function sameOrigin(): MiddlewareHandler {
	return async (context, next) => {
		const { method, headers, url } = context.req.raw
		const origin = headers.get('Origin')
		if (method === 'GET' || method === 'HEAD' || !origin || origin === new URL(url).origin) return next()
		return context.text('This was sent from a page of another site, so it was not done.', 403)
	}
}
