import type { ServerResponse } from 'node:http'
import { config } from '~/config.server.ts'
import { endSpan, inRootSpan } from '~/platform/tracing/tracing.server.ts'

/* The spans under which everything else lies: one for each request, and one for each event of a socket. */

let routeOf = (_url: string): string => 'none'

/** Has requests be called by the patterns of their routes. @param find tells the pattern of an address */
export function nameRequests(find: (url: string) => string): void {
	routeOf = find
}

/**
 * Answers a request in a span of its own, which ends when the answer is sent. What comes as `traceparent` is not believed: whoever asks from
 * outside would decide what is traced.
 * @param url as it came; only the pattern of its route is told
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
 * Hears an event of a socket in a span of its own. It ends with the acknowledgement; without one nobody knows when the work is done, and it
 * ends at once, so that the statements lie below it and may be longer than it is.
 * @param names of the events that this socket listens to
 * @param packet its name, what came with it, and the acknowledgement; that is replaced
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
