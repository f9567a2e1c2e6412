import { dequal } from 'dequal/lite'
import { createPath, type DataRouter } from 'react-router'
import type { PageHandle } from '~/lib/page-handle.ts'

/*
 * The data of pages that were opened, or asked for ahead, in this tab. A reader who opens one of them again sees it at once; then the
 * page asks anew, and what is unlike is drawn. See docs/decisions/0065-pages-seen-before-are-shown-at-once.md.
 */

const MAX_PAGES = 40
const MAX_AGE_MS = 5 * 60_000

interface StoredPage {
	text: string
	headers: Headers
	/** When it came, in milliseconds of the clock. */
	at: number
}

/** By the address of the data, the oldest first. */
const pages = new Map<string, StoredPage>()
/** Pages that are asked for ahead; they never reject. */
const coming = new Map<string, Promise<void>>()
/** How many times pages were forgotten: an answer that was asked for before may say what was true before. */
let writes = 0
/** The page that is shown from here and asks anew, by the key of its location; another object each time. */
let refreshing: { key: string } | null = null

const router = () => window.__reactRouterDataRouter

/** The path of the page to which an address of data belongs. */
export function pathOfData(url: URL): string {
	return url.pathname.replace(/(^\/_)?\.data$/, '') || '/'
}

/**
 * To be called when a page, and no fetcher, is asked for.
 * @returns what stores the answer, a copy that nobody else reads, unless somebody wrote meanwhile
 */
export function storing(url: URL): (answer: Response) => Promise<void> {
	const begun = writes
	return async (answer) => {
		const text = await answer.text()
		pages.delete(url.href)
		// Redirects and refusals have other statuses.
		if (answer.status !== 200 || writes !== begun) return
		pages.set(url.href, { text, headers: answer.headers, at: Date.now() })
		const [oldest] = pages.keys()
		if (pages.size > MAX_PAGES && oldest !== undefined) pages.delete(oldest)
	}
}

/** Whether an address of data is stored and young enough to be shown, or on its way. */
export function isStored(url: URL): boolean {
	return coming.has(url.href) || Date.now() - (pages.get(url.href)?.at ?? 0) < MAX_AGE_MS
}

/** Has whoever opens a page wait for what was asked for ahead. @param stored settles when it is stored or has failed */
export function expectPage(url: URL, stored: Promise<void>): void {
	const done = stored.catch(() => {}).finally(() => coming.delete(url.href))
	coming.set(url.href, done)
}

/** Forgets all pages: somebody wrote, logged in or out. */
export function forgetPages(): void {
	writes += 1
	pages.clear()
	coming.clear()
}

/** The stored data of the page that React Router is about to open; the page asks anew once it stands. Null where nothing may be shown. */
export async function openStored(url: URL): Promise<Response | null> {
	const target = navigationTo(url)
	if (!target || !(await mayRevisit())) return null
	await coming.get(url.href)
	const page = pages.get(url.href)
	if (!page || !isStored(url)) return null
	refreshWhenOpen(target.key)
	return new Response(page.text, { status: 200, headers: page.headers })
}

/** Where the reader goes, if it is to another page that may be shown as it was, and these are its data. */
function navigationTo(url: URL): DataRouter['state']['location'] | null {
	const { location, navigation } = router().state
	const { location: target, formMethod } = navigation
	if (!target || (formMethod && formMethod !== 'GET') || target.pathname !== pathOfData(url)) return null
	// Whoever presses the link of the page that is open wants it anew.
	return createPath(target) === createPath(location) ? null : target
}

/** Whether a route says so of its page; its script may not have come yet. @param id of the page that React Router is about to open, unless it is given */
export async function mayRevisit(id = router().state.navigation.matches?.at(-1)?.route.id ?? ''): Promise<boolean> {
	const entry = window.__reactRouterManifest.routes[id]
	// Whether a script that does not come is tried again is for the guard.
	const module: { handle?: PageHandle } = entry ? await import(/* @vite-ignore */ entry.module).catch(() => ({})) : {}
	return module.handle?.revisit === true
}

function refreshWhenOpen(key: string): void {
	const end = router().subscribe(({ location, navigation }) => {
		if (navigation.location?.key === key) return
		end()
		if (location.key !== key || navigation.state !== 'idle') return
		// The navigation has yet to end, and with it whatever began before that.
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
 * Of a page that was shown from here and has asked anew: keeps what is equal as it is, so that it is not drawn again and rows that
 * were appended to it stay. Anything else is left alone.
 * @param outcomes by route; changed in place
 */
export async function keepEqual({ method, url }: Request, outcomes: Outcomes): Promise<void> {
	const { location, loaderData } = router().state
	if (method !== 'GET' || refreshing?.key !== location.key || new URL(url).pathname !== location.pathname) return
	for (const [id, outcome] of Object.entries(outcomes)) {
		if (outcome.type !== 'data') continue
		const shown = loaderData[id]
		// The page stands already: it does not go back to its skeleton.
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
