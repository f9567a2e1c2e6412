import { serviceWorker } from '../offline.server.ts'

/** Never believed without asking, so that a new build is found at the next page. */
export function loader(): Response {
	return new Response(serviceWorker(), {
		headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, no-cache' },
	})
}
