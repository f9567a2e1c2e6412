import { offlineCsp, offlinePage, serviceWorker } from '../offline.server.ts'
import type { Route } from './+types/offline'

/**
 * `/service-worker.js`, and `/offline`, which only the service worker requests. With a network, the page's script redirects to the home
 * page.
 */
export function loader({ url }: Route.LoaderArgs): Response {
	const isWorker = url.pathname === '/service-worker.js'
	return isWorker
		? // Never believed without asking, so that a new build is found at the next page.
			answerWith(serviceWorker(), 'text/javascript', {})
		: answerWith(offlinePage(), 'text/html', {
				'Content-Security-Policy': offlineCsp(),
				'X-Robots-Tag': 'noindex',
			})
}

function answerWith(text: string, type: string, headers: Record<string, string>): Response {
	return new Response(text, {
		headers: { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'public, no-cache', ...headers },
	})
}
