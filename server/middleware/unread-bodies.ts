import type { MiddlewareHandler } from 'hono'

/**
 * Drains the unread body of a refused request. Otherwise the adapter closes the connection half a second later, though the client was told
 * to keep it alive, and its next request is lost. The bytes are discarded; a body that continues after that time is cut off by the adapter.
 */
export function readUnreadBodies(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const { body, bodyUsed } = context.req.raw
		if (!body || bodyUsed || body.locked) return
		// It fails where the client goes away.
		body.pipeTo(new WritableStream()).catch(() => {})
	}
}
