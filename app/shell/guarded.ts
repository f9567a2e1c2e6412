import { type ComponentType, lazy } from 'react'
import type { DataRouter, MiddlewareFunction } from 'react-router'
import { type PackedRoutes, unpackRoutes } from './packed-routes.ts'

type Guard = typeof import('./guard/guard.ts')
type RouteEntry = import('./guard/guard.ts').RouteEntry

declare global {
	interface Window {
		__reactRouterDataRouter: DataRouter
		__reactRouterManifest: { url: string; routes: Record<string, RouteEntry | undefined> }
		__reactRouterRouteModules: Record<string, unknown>
	}
}

const LOAD_AFTER_MS = 4_000
const RELOAD_PAUSE_MS = 1_000
const MAX_TRIES = 60

/** A form that was sent before unsent-forms.tsx, which stores forms, had loaded. It keeps its values even when its page is gone. */
export const earlySubmit: { current: SubmitEvent | null } = { current: null }

let loading: Promise<Guard> | undefined
let loaded: Guard | undefined

/**
 * Loads the guard, which keeps pages alive without a network. It must not slow down the first page: it loads some seconds later, or
 * with the first request or input.
 * @throws TypeError when it could not be loaded for a minute and the browser is online
 */
function guard(tries = 1): Promise<Guard> {
	if (loading) return loading
	loading = import('./guard/guard.ts').catch((error) => {
		loading = undefined
		// Without a network, a failed load proves nothing.
		if (tries >= MAX_TRIES && navigator.onLine) throw error
		return new Promise((resolve) => setTimeout(() => resolve(guard(tries + 1)), RELOAD_PAUSE_MS))
	})
	const note = (module: Guard) => {
		loaded = module
	}
	loading.then(note, () => {})
	return loading
}

/** Installs the guard between React Router and the network. Call it once, before hydration. */
export function guardRouter(): void {
	const fetchPlain = window.fetch.bind(window)
	// Only React Router requests with URL objects. Those without a signal look up routes ahead, which nobody waits for.
	const ask = (input: URL, init?: RequestInit) =>
		init?.signal ? guard().then(({ routerFetch }) => routerFetch(fetchPlain, input, init)) : fetchPlain(input, init)
	window.fetch = (input, init) => {
		if (input instanceof URL && input.pathname === '/__manifest')
			return unknownRoutes(fetchPlain, input, init?.signal).catch((error) => {
				// A lookup that a lost connection or the end of the page has cut off would only be cut off again.
				if (!init?.signal && !(error instanceof SyntaxError)) throw error
				return ask(input, init)
			})
		if (input instanceof URL && init?.signal) return ask(input, init)
		if (init?.method !== 'POST') return fetchPlain(input, init)
		// A write by a part of the page, such as a vote: stored pages may be stale after it.
		const forget = () => loaded?.forgetPages()
		forget()
		return fetchPlain(input, loaded?.asPageMember(init) ?? init).finally(forget)
	}
	loadRoutesByGuard()
	setTimeout(guard, LOAD_AFTER_MS)
	// Before React Router's listener: listeners of the window run in the order of registration.
	window.addEventListener('popstate', (event) => loaded?.interceptPopState(event))
	window.addEventListener('input', () => void guard(), { once: true })
	const noteSubmit = (event: SubmitEvent) => {
		if (window.location.pathname !== '/login') earlySubmit.current = event
	}
	window.addEventListener('submit', noteSubmit, true)
}

const MAX_WAIT_FOR_ROUTES_MS = 10_000

/** The build's files of routes by their addresses, each loaded once. */
const routeFiles = new Map<string, Promise<PackedRoutes & { parts: string[] }>>()

/**
 * The response to React Router's `/__manifest`: the routes that it does not know. For each page it asks for those of all links, which would take the
 * server longer than many a page does; two files of the build have all routes, and stay in the browser's cache. Pages of visitors need
 * only the first one.
 * @throws TypeError, SyntaxError, DOMException without these files, as after an update of the site
 */
async function unknownRoutes(fetchPlain: typeof fetch, input: URL, signal?: AbortSignal | null): Promise<Response> {
	const known = window.__reactRouterManifest
	const packed = await loadRoutes(fetchPlain, known.url)
	const found = unpackRoutes(packed)
	const paths = input.searchParams.get('paths')?.split(',') ?? []
	if (paths.some((path) => !packed.parts.includes(path.split('/')[1] ?? '')))
		found.push(...unpackRoutes(await loadRoutes(fetchPlain, known.url.replace(/\.js$/, '-more.js'))))
	const routes = found.filter(({ id }) => !(id in known.routes))
	signal?.throwIfAborted()
	return Response.json(Object.fromEntries(routes.map((route) => [route.id, route])))
}

function loadRoutes(fetchPlain: typeof fetch, url: string): Promise<PackedRoutes & { parts: string[] }> {
	const loading = routeFiles.get(url)
	if (loading) return loading
	const signal = AbortSignal.timeout(MAX_WAIT_FOR_ROUTES_MS)
	const loaded = fetchPlain(url, { priority: 'low', signal }).then((file) => file.json())
	routeFiles.set(url, loaded)
	loaded.catch(() => routeFiles.delete(url))
	return loaded
}

/**
 * React Router checks its cache before it loads a route's script, and reloads the page when a script fails. So the cache claims to
 * have every route, and loads it when asked.
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
				// Loads in parallel with the guard, which then waits for the same script.
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

/** The root's client middleware: handles requests of React Router without a response. */
export const lostRequestMiddleware: MiddlewareFunction<Record<string, unknown>>[] = [
	async ({ request }, next) => {
		const results = await next()
		return (await guard()).settleOutcomes(request, results as Parameters<Guard['settleOutcomes']>[1])
	},
]

/** Like React's `lazy`, with retries; meanwhile the page renders without the part. */
// biome-ignore lint/suspicious/noExplicitAny: as React's own `lazy` has it
export function lazyWithRetry<Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) {
	return lazy(() => load().catch(() => guard().then(({ loadPart }) => loadPart(load))))
}
