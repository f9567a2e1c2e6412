import { type ComponentType, lazy } from 'react'
import type { DataRouter, MiddlewareFunction } from 'react-router'

type Guard = typeof import('./guard/guard.ts')
type RouteEntry = import('./guard/guard.ts').RouteEntry

declare global {
	interface Window {
		__reactRouterDataRouter: DataRouter
		__reactRouterManifest: { routes: Record<string, RouteEntry | undefined> }
		__reactRouterRouteModules: Record<string, unknown>
	}
}

const LOAD_AFTER_MS = 4_000
const RELOAD_PAUSE_MS = 1_000
const MAX_TRIES = 60

/**
 * What was sent from any page but the login before unsent-forms.tsx, which stores forms, had loaded. A form keeps its values when
 * its page is gone.
 */
export const earlySubmit: { current: SubmitEvent | null } = { current: null }

let loading: Promise<Guard> | undefined
let interceptMove: Guard['interceptMove'] | undefined

/**
 * What keeps pages alive without a network. No first page waits for it: it comes some seconds later, or with the first request
 * or the first thing that is typed.
 * @throws TypeError when it could not be loaded for a minute and the browser is online
 */
function guard(tries = 1): Promise<Guard> {
	if (loading) return loading
	loading = import('./guard/guard.ts').catch((error) => {
		loading = undefined
		// Without a network it says nothing that the script does not come.
		if (tries >= MAX_TRIES && navigator.onLine) throw error
		return new Promise((resolve) => setTimeout(() => resolve(guard(tries + 1)), RELOAD_PAUSE_MS))
	})
	const note = (module: Guard) => {
		interceptMove = module.interceptMove
	}
	loading.then(note, () => {})
	return loading
}

/** Puts the guard between React Router and the network. Called once, before the page is hydrated. */
export function guardRouter(): void {
	const fetchPlain = window.fetch.bind(window)
	// React Router alone asks by URL objects. What has no signal are routes that it looks up ahead, and nobody's wish yet.
	window.fetch = (input, init) => {
		if (input instanceof URL && init?.signal)
			return guard().then(({ routerFetch }) => routerFetch(fetchPlain, input, init))
		const answer = fetchPlain(input, init)
		if (init?.method !== 'POST') return answer
		// A part of a page that writes by itself, such as a vote: before it is answered, pages may come as they were.
		const forget = () => loading?.then(({ forgetPages }) => forgetPages())
		forget()
		return answer.finally(forget)
	}
	loadRoutesByGuard()
	setTimeout(guard, LOAD_AFTER_MS)
	// Before React Router listens: listeners of the window run in the order in which they came.
	window.addEventListener('popstate', (event) => interceptMove?.(event))
	window.addEventListener('input', () => void guard(), { once: true })
	const noteSubmit = (event: SubmitEvent) => {
		if (window.location.pathname !== '/login') earlySubmit.current = event
	}
	window.addEventListener('submit', noteSubmit, true)
}

/**
 * React Router looks into its cache before it loads a route's script, first whether it is there and then for the script;
 * a script that fails makes it reload the page. So the cache says of every route that it is there, and loads it when asked.
 */
function loadRoutesByGuard(): void {
	const cache = window.__reactRouterRouteModules
	let checkedId: string | symbol = ''
	Object.setPrototypeOf(
		cache,
		new Proxy(Object.prototype, {
			has: (_, id) => {
				checkedId = id
				return typeof id === 'string' && id in window.__reactRouterManifest.routes
			},
			get: (_, id) => {
				const route = window.__reactRouterManifest.routes[String(id)]
				if (checkedId !== id || !route) return undefined
				checkedId = ''
				// On its way beside the guard, which then waits for the same script.
				import(/* @vite-ignore */ route.module).catch(() => {})
				return guard()
					.then(({ loadRoute }) => loadRoute(route))
					.then((module) => {
						cache[route.id] = module
						return module
					})
			},
		}),
	)
}

/** The root's client middleware: what to show when a request of React Router got no answer. */
export const settling: MiddlewareFunction<Record<string, unknown>>[] = [
	async ({ request }, next) => {
		const results = await next()
		return (await guard()).settleOutcomes(request, results as Parameters<Guard['settleOutcomes']>[1])
	},
]

/** As React's `lazy`, for a part of a page whose script is tried again until it comes; meanwhile the page stands without it. */
// biome-ignore lint/suspicious/noExplicitAny: as React's own `lazy` has it
export function lazyPart<Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) {
	return lazy(() => load().catch(() => guard().then(({ loadPart }) => loadPart(load))))
}
