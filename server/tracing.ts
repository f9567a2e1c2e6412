import type { ServerResponse } from 'node:http'
import { config } from '~/config.server.ts'
import { endSpan, inRootSpan } from '~/platform/tracing/tracing.server.ts'

/* Root spans: one for each request, and one for each socket event. */

let routeOf = (_url: string): string => 'none'

/** Sets how requests are named in traces. @param find returns the route pattern of an address */
export function nameRequests(find: (url: string) => string): void {
	routeOf = find
}

/**
 * Handles a request in a root span, which ends when the response is sent. An incoming `traceparent` is ignored, as outsiders must
 * not decide what is traced.
 * @param url as sent; only its route pattern is exported
 */
export function traceRequest(
	{ method, url, requestId }: { method: string; url: string; requestId: string },
	outgoing: ServerResponse,
	answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
	const attributes = { 'http.request.method': method, 'url.scheme': config().secure ? 'https' : 'http' }
	return inRootSpan(method, 'server', { ...attributes, 'devquad.request_id': requestId }, (span) => {
		if (!span) return answer()
		outgoing.once('close', () => {
			const route = routeOf(url)
			span.updateName(`${method} ${route}`)
			span.setAttributes({ 'http.route': route, 'http.response.status_code': outgoing.statusCode })
			endSpan(span, outgoing.statusCode >= 500 ? { code: String(outgoing.statusCode) } : undefined)
		})
		return answer()
	})
}

/**
 * Handles a socket event in a root span, which ends with the acknowledgement. Without one the end of the work is unknown: the span
 * ends at once, and its statements may outlast it.
 * @param names of the events that this socket listens to
 * @param packet name, payload and acknowledgement; the latter is replaced
 */
export function traceEvent(names: readonly unknown[], packet: unknown[], requestId: string, hear: () => void): void {
	const event = names.includes(packet[0]) ? packet[0] : 'unknown'
	inRootSpan(`socket ${event}`, 'server', { 'devquad.request_id': requestId }, (span) => {
		const acknowledge = packet.at(-1)
		if (span && typeof acknowledge === 'function')
			packet[packet.length - 1] = (...answer: unknown[]) => {
				endSpan(span)
				acknowledge(...answer)
			}
		hear()
		if (span && typeof acknowledge !== 'function') endSpan(span)
	})
}
