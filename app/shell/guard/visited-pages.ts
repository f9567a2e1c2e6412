import { dequal } from 'dequal/lite'
import { createPath, type DataRouter } from 'react-router'
import type { PageHandle } from '~/lib/page-handle.ts'

/*
 * The data of pages that were opened or prefetched in this tab. A reader who opens one again sees it at once; then it is reloaded,
 * and changes are rendered. See docs/decisions/0065-pages-seen-before-are-shown-at-once.md.
 */

const MAX_PAGES = 40
const MAX_AGE_MS = 5 * 60_000

interface StoredPage {
	text: string
	headers: Headers
	/** When it was received, in milliseconds. */
	at: number
}

/** By the address of the data, oldest first. */
const pages = new Map<string, StoredPage>()
/** Running prefetches; they never reject. */
const coming = new Map<string, Promise<void>>()
/** Incremented when pages are forgotten: a response that was requested before may be stale. */
let writes = 0
/** The page that is shown from memory and being reloaded, by the key of its location; a new object each time. */
let refreshing: { key: string } | null = null

const router = () => window.__reactRouterDataRouter

/** The path of the page of a data address. */
export function pathOfData(url: URL): string {
	return url.pathname.replace(/(^\/_)?\.data$/, '') || '/'
}

/**
 * Call it when a page, not a fetcher, is requested.
 * @returns stores the response, a separate copy, unless something was written in the meantime
 */
export function beginStoring(url: URL): (answer: Response) => Promise<void> {
	const begun = writes
	return async (answer) => {
		const text = await answer.text()
		pages.delete(url.href)
		// Redirects and errors have other statuses.
		if (answer.status !== 200 || writes !== begun) return
		pages.set(url.href, { text, headers: answer.headers, at: Date.now() })
		const [oldest] = pages.keys()
		if (pages.size > MAX_PAGES && oldest !== undefined) pages.delete(oldest)
	}
}

/** Whether a data address is stored and fresh enough to be shown, or being prefetched. */
export function isStored(url: URL): boolean {
	return coming.has(url.href) || Date.now() - (pages.get(url.href)?.at ?? 0) < MAX_AGE_MS
}

/** Makes opening a page wait for its prefetch. @param stored settles when it is stored or has failed */
export function expectPage(url: URL, stored: Promise<void>): void {
	const done = stored.catch(() => {}).finally(() => coming.delete(url.href))
	coming.set(url.href, done)
}

/** Forgets all pages, after a write, a login or a logout. */
export function forgetPages(): void {
	writes += 1
	pages.clear()
	coming.clear()
}

/** The stored data of the page that React Router is about to open, which is then reloaded. Null where nothing may be shown. */
export async function openStoredPage(url: URL): Promise<Response | null> {
	const target = navigationTo(url)
	if (!target || !(await mayRevisit())) return null
	await coming.get(url.href)
	const page = pages.get(url.href)
	if (!page || !isStored(url)) return null
	refreshWhenOpen(target.key)
	return new Response(page.text, { status: 200, headers: page.headers })
}

/** The location of a navigation to another page that may be shown from memory, if this is its data. */
function navigationTo(url: URL): DataRouter['state']['location'] | null {
	const { location, navigation } = router().state
	const { location: target, formMethod } = navigation
	if (!target || (formMethod && formMethod !== 'GET') || target.pathname !== pathOfData(url)) return null
	// Clicking a link to the open page is meant to reload it.
	return createPath(target) === createPath(location) ? null : target
}

/**
 * Whether a route's handle allows it; its script may not have loaded yet. @param id of the page that React Router is about to open
 * by default
 */
export async function mayRevisit(id = router().state.navigation.matches?.at(-1)?.route.id ?? ''): Promise<boolean> {
	const entry = window.__reactRouterManifest.routes[id]
	// The guard decides whether a missing script is retried.
	const module: { handle?: PageHandle } = entry ? await import(/* @vite-ignore */ entry.module).catch(() => ({})) : {}
	return module.handle?.revisit === true
}

function refreshWhenOpen(key: string): void {
	const end = router().subscribe(({ location, navigation }) => {
		if (navigation.location?.key === key) return
		end()
		if (location.key !== key || navigation.state !== 'idle') return
		// After the navigation has ended.
		queueMicrotask(() => void refresh(key))
	})
}

async function refresh(key: string): Promise<void> {
	const own = { key }
	refreshing = own
	await router().revalidate()
	if (refreshing === own) refreshing = null
}

type Outcomes = Record<string, { type: 'data' | 'error'; result: unknown }>

/**
 * For a page that was shown from memory and reloaded: keeps equal data identical, so that it is not rendered again, and rows that
 * were appended stay. Other outcomes are left alone.
 * @param outcomes by route; changed in place
 */
export async function reuseEqualData({ method, url }: Request, outcomes: Outcomes): Promise<void> {
	const { location, loaderData } = router().state
	if (method !== 'GET' || refreshing?.key !== location.key || new URL(url).pathname !== location.pathname) return
	for (const [id, outcome] of Object.entries(outcomes)) {
		if (outcome.type !== 'data') continue
		const shown = loaderData[id]
		// The page is already shown: it must not return to its skeleton.
		const come = isSlow(outcome.result) ? ((await outcome.result.slow) ?? shown) : outcome.result
		outcome.result = withEqualParts(shown, come)
	}
}

function isSlow(result: unknown): result is { slow: Promise<unknown> } {
	return typeof result === 'object' && result !== null && 'slow' in result && result.slow instanceof Promise
}

function withEqualParts(shown: unknown, come: unknown): unknown {
	if (dequal(shown, come)) return shown
	if (!isPlain(shown) || !isPlain(come)) return come
	return Object.fromEntries(
		Object.entries(come).map(([name, part]) => [name, dequal(shown[name], part) ? shown[name] : part]),
	)
}

function isPlain(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
