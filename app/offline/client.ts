import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import type { CopyKind } from './saved-pages.ts'

/**
 * Saves what an element shows, so that it can be read without a network. A part of a page, such as later comments, is not
 * saved, nor what is shown on another page.
 * @param path where the whole of it is a page
 * @returns to be given to the element
 */
export function useSavedCopy<Shown extends HTMLElement>(kind: CopyKind, path: string): RefObject<Shown | null> {
	const element = useRef<Shown>(null)
	const { pathname, search } = useLocation()
	const isWholePage = pathname === path && search === ''
	const { viewer } = useRootData()
	const member = viewer?.username ?? null

	useEffect(() => {
		if (!isWholePage || !('caches' in window)) return
		let end = () => {}
		let isGone = false
		import('./saved-pages.ts')
			.then(({ followPage }) => {
				if (isGone || !element.current) return
				void registerWorker()
				end = followPage(element.current, { kind, path, member })
			})
			// The script could not be loaded; then there is no copy.
			.catch(() => {})
		return () => {
			isGone = true
			end()
		}
	}, [kind, path, isWholePage, member])

	return element
}

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
