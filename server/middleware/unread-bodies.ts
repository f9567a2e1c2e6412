import type { MiddlewareHandler } from 'hono'

/**
 * Reads what a refusal left of a request's body. Otherwise the adapter closes the connection half a second later, though the client was told
 * to keep it, and its next request there is lost. Nothing is kept; a body that still comes after that time is cut off by the adapter.
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
