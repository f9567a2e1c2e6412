import type { IncomingMessage } from 'node:http'
import { features } from '~/features/index.server.ts'
import { PREFETCH_HEADER } from '~/lib/page-handle.ts'

const listeners = features.flatMap(({ onRead }) => onRead ?? [])
const prefetchHeader = PREFETCH_HEADER.toLowerCase()

/** Notifies features of a page that was served from the cache. @param url path and query of the page */
export function notifyCachedRead(url: string, { method, headers }: IncomingMessage): void {
	if (method !== 'GET') return
	for (const listen of listeners)
		listen({ url, userAgent: headers['user-agent'], isPrefetch: prefetchHeader in headers })
}

/** Notifies features of a page, or its data, that was served, unless it was an error or a redirect. @returns the response */
export function notifyRead({ method, url, headers }: Request, answer: Response): Response {
	if (method !== 'GET' || (answer.status !== 200 && answer.status !== 304)) return answer
	const { pathname, search } = new URL(url)
	const userAgent = headers.get('User-Agent') ?? undefined
	for (const listen of listeners)
		listen({ url: pathname + search, userAgent, isPrefetch: headers.has(PREFETCH_HEADER) })
	return answer
}
