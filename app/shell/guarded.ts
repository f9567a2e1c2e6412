import { type ComponentType, lazy } from 'react'
import type { MiddlewareFunction } from 'react-router'

type Guard = typeof import('./guard/guard.ts')

const LOAD_AFTER_MS = 4_000
const RELOAD_PAUSE_MS = 1_000
const MAX_TRIES = 60

let loading: Promise<Guard> | undefined

/**
 * What keeps pages alive without a network. No first page waits for it: it comes some seconds later, or with the first request
 * or the first thing that is typed.
 * @throws TypeError when it could not be loaded for a minute
 */
function guard(tries = 1): Promise<Guard> {
	loading ??= import('./guard/guard.ts').catch((error) => {
		loading = undefined
		if (tries === MAX_TRIES) throw error
		return new Promise((resolve) => setTimeout(() => resolve(guard(tries + 1)), RELOAD_PAUSE_MS))
	})
	return loading
}

/** Puts the guard between React Router and the network. Called once, before the page is hydrated. */
export function guardRouter(): void {
	const fetchPlain = window.fetch.bind(window)
	// React Router alone asks by URL objects. What has no signal are routes that it looks up ahead, and nobody's wish yet.
	window.fetch = (input, init) =>
		input instanceof URL && init?.signal
			? guard().then(({ routerFetch }) => routerFetch(fetchPlain, input, init))
			: fetchPlain(input, init)
	setTimeout(guard, LOAD_AFTER_MS)
	window.addEventListener('input', () => void guard(), { once: true })
}

/** The root's client middleware: what to show when a request of React Router got no answer. */
export const settling: MiddlewareFunction<Record<string, unknown>>[] = [
	async ({ request }, next) => {
		const results = await next()
		return (await guard()).settle(request, results as Parameters<Guard['settle']>[1])
	},
]

/** As React's `lazy`, for a part of a page whose script is tried again until it comes; meanwhile the page stands without it. */
// biome-ignore lint/suspicious/noExplicitAny: as React's own `lazy` has it
export function lazyPart<Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) {
	return lazy(() => load().catch(() => guard().then(({ loadPart }) => loadPart(load))))
}
