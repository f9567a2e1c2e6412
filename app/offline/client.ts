import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import type { CopyKind } from './saved-pages.ts'

/**
 * Saves a copy of an element for reading without a network. Partial pages, such as later comments, are not saved, nor what is shown on
 * another page.
 * @param ofPage path of the page with the whole element; null for the present one: the copy replaces an earlier one of the same address
 * @returns the ref for the element
 */
export function useSavedCopy<Shown extends HTMLElement>(
	kind: CopyKind,
	ofPage: string | null,
): RefObject<Shown | null> {
	const element = useRef<Shown>(null)
	const { pathname, search } = useLocation()
	const path = ofPage ?? pathname
	const isWholePage = pathname === path && search === ''
	const { viewer } = useRootData()
	const member = viewer?.username ?? null

	useEffect(() => {
		if (!isWholePage || !('caches' in window)) return
		let end = () => {}
		let isGone = false
		import('./saved-pages.ts')
			.then(({ keepPageSaved }) => {
				if (isGone || !element.current) return
				void registerWorker()
				end = keepPageSaved(element.current, { kind, path, member })
			})
			// The chunk could not be loaded, so there is no copy.
			.catch(() => {})
		return () => {
			isGone = true
			end()
		}
	}, [kind, path, isWholePage, member])

	return element
}

/** The site's service worker, for pushes and the offline page. */
export const WORKER_PATH = '/service-worker.js'

/** A tab that is hidden for this long is unlikely to open a page at that moment. */
const TAKE_OVER_DELAY_MS = 5_000

let isRegistered = false

/** Registers the service worker; browsers find updates themselves. Does nothing where that is impossible. */
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
 * Activates an updated worker while the tab is hidden; otherwise that happens when the site's last tab is closed. Not at once: Chromium
 * queues requests until the new worker is active, and a page opened at that moment may never get its response.
 */
function updateWhileHidden(registration: ServiceWorkerRegistration): void {
	let timer: ReturnType<typeof setTimeout> | undefined
	document.addEventListener('visibilitychange', () => {
		clearTimeout(timer)
		if (document.visibilityState === 'visible') return
		timer = setTimeout(() => registration.waiting?.postMessage('take over'), TAKE_OVER_DELAY_MS)
	})
}
