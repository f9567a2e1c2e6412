import { offlinePage, offlinePolicy } from '../offline.server.ts'

/** Asked for by the service worker alone; whoever comes here with a network is sent home. */
export function loader(): Response {
	return new Response(offlinePage(), {
		headers: {
			'Content-Type': 'text/html; charset=utf-8',
			'Cache-Control': 'public, no-cache',
			'Content-Security-Policy': offlinePolicy(),
			'X-Robots-Tag': 'noindex',
		},
	})
}
