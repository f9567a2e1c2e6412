/** The site's one service worker, for pushes and for pages without a network. */
export const WORKER_PATH = '/service-worker.js'

/** A tab that is hidden for so long is not about to open a page. */
const TAKE_OVER_DELAY_MS = 5_000

let isRegistered = false

/** Sees to it that the worker is there; an update of it is found by the browser. Where there can be none, nothing happens. */
export async function registerWorker(): Promise<void> {
	if (isRegistered) return
	isRegistered = true
	try {
		const registration = await navigator.serviceWorker?.register(WORKER_PATH)
		if (registration) updateWhileHidden(registration)
	} catch {
		// Private windows and strict settings refuse it; the site works without.
		isRegistered = false
	}
}

/**
 * Has an updated worker take over while the tab is hidden; else it does when the site's last tab is closed. Not at once: Chromium
 * holds requests back until the new worker is active, and a page that is opened in that moment may never get its answer.
 */
function updateWhileHidden(registration: ServiceWorkerRegistration): void {
	let timer: ReturnType<typeof setTimeout> | undefined
	document.addEventListener('visibilitychange', () => {
		clearTimeout(timer)
		if (document.visibilityState === 'visible') return
		timer = setTimeout(() => registration.waiting?.postMessage('take over'), TAKE_OVER_DELAY_MS)
	})
}
