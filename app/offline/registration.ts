/** The site's one service worker, for pushes and for pages without a network. */
export const WORKER_PATH = '/service-worker.js'

/** Sees to it that the worker is there; an update of it is found by the browser. Where there can be none, nothing happens. */
export async function registerWorker(): Promise<void> {
	try {
		await navigator.serviceWorker?.register(WORKER_PATH)
	} catch {
		// Private windows and strict settings refuse it; the site works without.
	}
}
