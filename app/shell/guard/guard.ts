import { createPath, type DataRouter, data } from 'react-router'
import { messageOf } from '~/lib/errors.ts'
import { PAGE_MEMBER_HEADER } from '~/lib/page-handle.ts'
import { NoResponse, withRetries } from '~/lib/retry.ts'
import { viewerOfPage } from '~/lib/root-data.ts'
import { formValues } from '~/platform/http/form.ts'
import { toast } from '../toast.ts'
import { offerReload, showConnectionLost } from './connection-bar.tsx'
import { guardDraggedFiles } from './dragged-files.ts'
import { prefetchLinks } from './prefetch.ts'
import { beginStoring, forgetPages, openStoredPage, pathOfData, reuseEqualData } from './visited-pages.ts'

export { forgetPages }

/** A route in React Router's manifest, as far as needed here. */
export interface RouteEntry {
	id: string
	module: string
	imports?: string[]
	hasLoader?: boolean
}

/*
 * Between React Router and the network. Every navigation, form and fetcher passes here, so that no page has to handle a lost
 * connection: repeatable requests are retried, and if all fail, the page stays as it is. See
 * docs/decisions/0040-the-page-outlives-the-network.md.
 */

type Fetch = typeof window.fetch

/** The results of loaders or of an action, as React Router passes them on. */
type Outcomes = Record<string, { type: 'data' | 'error'; result: unknown }>

const router = () => window.__reactRouterDataRouter

/**
 * Replaces `fetch` for React Router. A GET is retried for 120 s, a form is sent once. A page that was visited before comes from
 * memory.
 * @param fetchPlain the browser's own
 * @throws NoResponse without a response of this site; responses of the site are returned, whatever their status
 */
export async function routerFetch(fetchPlain: Fetch, url: URL, init: RequestInit): Promise<Response> {
	const isManifest = url.pathname === '/__manifest'
	const read = isManifest ? readManifest : readData
	if (init.method && init.method !== 'GET') return sendOnce(() => fetchPlain(url, asPageMember(init)), init)
	// Before any wait: later, a skeleton may be shown, and the navigation be over.
	const wanted = whileWanted(url, init.signal)
	try {
		const stored = isManifest ? null : await openStoredPage(url)
		if (stored) return stored
		const store = beginStoring(url)
		const answer = await retryingShown(
			async (signal) => read(await fetchPlain(url, { ...init, signal })),
			wanted.signal,
		)
		if (!isManifest && isPage(url)) void store(answer.clone())
		return answer
	} catch (error) {
		// No middleware runs while the routes are unknown.
		if (isManifest && error instanceof NoResponse) await giveUp()
		throw error
	} finally {
		wanted.end()
	}
}

/**
 * How long the data of a page is needed. React Router aborts the request of a navigation that another one replaces; but a page that
 * has shown its skeleton waits for its data after the navigation, until the reader goes elsewhere.
 * @param url of the data @param signal React Router's
 */
function whileWanted(url: URL, signal: AbortSignal | null | undefined) {
	const target = router().state.navigation.location
	if (target?.pathname !== pathOfData(url)) return { signal, end: () => {} }
	const left = new AbortController()
	const end = router().subscribe(({ location, navigation }) => {
		if (navigation.state === 'idle' && location.key !== target.key) left.abort()
	})
	return { signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal, end }
}

/** Whether this is the data of the current or the next page, and not of a part that loads by itself. */
function isPage(url: URL): boolean {
	const { location, navigation } = router().state
	const { pathname, search } = navigation.location ?? location
	const asked = new URLSearchParams(url.search)
	asked.delete('_routes')
	return pathOfData(url) === pathname && asked.toString() === new URLSearchParams(search).toString()
}

/** Adds to a write the id of the member whose page sends it; nothing where that is a visitor's. */
export function asPageMember(init: RequestInit): RequestInit {
	const viewer = viewerOfPage()
	if (!viewer) return init
	const headers = new Headers(init.headers)
	headers.set(PAGE_MEMBER_HEADER, String(viewer.id))
	return { ...init, headers }
}

/** Another member has logged in since this page was loaded. Handled like a lost response, so that what was typed stays in the page. */
class OtherMember extends NoResponse {
	/** For the reader. */
	readonly sentence: string
	constructor(sentence: string, form: NoResponse['form']) {
		super('The form is of another member.', form)
		this.sentence = sentence
	}
}

async function sendOnce(send: () => Promise<Response>, { body, signal }: RequestInit): Promise<Response> {
	const form = body instanceof URLSearchParams || body instanceof FormData ? body : null
	try {
		const answer = await readData(await send())
		if (answer.headers.has(PAGE_MEMBER_HEADER)) throw new OtherMember(messageOf(await answer.json()), form)
		if (answer.status < 400) resetTyped()
		return answer
	} catch (error) {
		signal?.throwIfAborted()
		if (error instanceof OtherMember) throw error
		throw new NoResponse('The form got no response.', form, error)
	} finally {
		// Any page may show the written data, and a write without a response may have been applied.
		forgetPages()
	}
}

/** Like {@link withRetries}; shows the bar from the first failure on. */
async function retryingShown<Result>(attempt: (signal: AbortSignal) => Promise<Result>, signal?: AbortSignal | null) {
	let found: (() => void) | null = null
	const onFailure = () => {
		found ??= showConnectionLost()
	}
	return withRetries(attempt, { signal, onFailure }).finally(() => found?.())
}

/** Reads a data response completely: one that is cut off, or not the site's, is no response. */
async function readData(answer: Response): Promise<Response> {
	const { status, headers } = answer
	const isOurs = headers.has('X-Remix-Response') || headers.has('X-Remix-Redirect')
	if (!isOurs && (status < 400 || status >= 500)) throw new NoResponse(`Something else answered with ${status}.`)
	if (!isOurs || status === 204) return answer
	// A line of a stream begins with its value.
	return readWhole(answer, (text) =>
		text
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line.replace(/^[PE]\d+:/, ''))),
	)
}

async function readManifest(answer: Response): Promise<Response> {
	const { status, headers } = answer
	if (status >= 500) throw new NoResponse(`Something else answered with ${status}.`)
	if (status === 204 && headers.has('X-Remix-Reload-Document') && hasUnsentText()) {
		// React Router would reload the page.
		stayForReload()
		return new Promise(() => {})
	}
	return status === 204 ? answer : readWhole(answer, JSON.parse)
}

async function readWhole(answer: Response, parse: (text: string) => unknown): Promise<Response> {
	const { status, statusText, headers } = answer
	const text = await answer.text()
	try {
		parse(text)
	} catch (error) {
		throw new NoResponse('The answer is incomplete or malformed.', null, error)
	}
	return new Response(text, { status, statusText, headers })
}

/**
 * Handles a request without a response: a navigation ends where it began, a page keeps its data, and a fetcher gets nothing, or an
 * error for its form. A toast explains it.
 * @param outcomes by route
 */
export async function settleOutcomes(request: Request, outcomes: Outcomes): Promise<Outcomes> {
	const { method, url, signal } = request
	const lost = Object.entries(outcomes).flatMap(([id, { result }]) => {
		// The error of an action is wrapped.
		const error = result instanceof NoResponse ? result : (result as { data?: unknown } | null | undefined)?.data
		return error instanceof NoResponse ? [{ id, error }] : []
	})
	if (lost.length === 0 && !signal.aborted) await reuseEqualData(request, outcomes)
	if (lost.length === 0 || signal.aborted) return outcomes
	const { location, navigation, loaderData, errors } = router().state
	const { pathname, search } = new URL(url)
	const refused = lost.find(({ error }) => error instanceof OtherMember)?.error as OtherMember | undefined
	const message = refused?.sentence ?? failureMessage(method, pathname)
	toast({ type: 'error', message })
	const leadsTo = (to = location) => to.pathname === pathname && to.search === search
	if (navigation.location && leadsTo(navigation.location) && !(method === 'GET' && leadsTo())) {
		await stay()
		return outcomes
	}
	const [shownError] = Object.values(errors ?? {})
	for (const { id, error } of lost) {
		if (method !== 'GET') outcomes[id] = { type: 'data', result: refusal(message, error) }
		else if (leadsTo() && shownError !== undefined) outcomes[id] = { type: 'error', result: shownError }
		else outcomes[id] = { type: 'data', result: leadsTo() ? loaderData[id] : undefined }
	}
	return outcomes
}

/** The error for a fetcher's form, in the shape that all forms understand. `said`: a toast has already shown it. */
function refusal(message: string, { form }: NoResponse) {
	const sent = new FormData()
	for (const [name, value] of form ?? []) sent.append(name, value)
	return data({ ok: false, said: true, message, errors: {}, values: formValues(sent), stored: null }, { status: 503 })
}

/** Ends a navigation where it began: the page is rendered from its data without requests, and keeps the focus. */
async function stay(): Promise<void> {
	const { location, navigation } = router().state
	if (!isAtEntryOf(location)) await undoMove()
	// Another click may have replaced the navigation.
	if (router().state.navigation.location !== navigation.location) return
	void router().navigate(location, {
		replace: isAtEntryOf(location),
		state: location.state,
		preventScrollReset: true,
		defaultShouldRevalidate: false,
	})
}

/** Whether the browser's history is at the entry of a page. Going back moves it at once; the page follows once it has loaded. */
const isAtEntryOf = ({ key }: { key: string }) => (window.history.state?.key ?? 'default') === key

/** The index of the shown page in the history, as React Router counts; undefined when unknown. */
let shownEntry: number | undefined

function noteEntry(): void {
	const { location, navigation } = router().state
	if (navigation.state === 'idle' && isAtEntryOf(location)) shownEntry = window.history.state?.idx
}

noteEntry()
router().subscribe(noteEntry)
prefetchLinks(readData)
guardDraggedFiles()

let endMove: (() => void) | null = null

/** Handles each history event before React Router, and hides those that undo another one. */
export function interceptPopState(event: PopStateEvent): void {
	if (!endMove) return
	event.stopImmediatePropagation()
	endMove()
	endMove = null
}

/** Moves the history back to the shown page, unnoticed by React Router. Where that is impossible, the page gets a new entry. */
async function undoMove(): Promise<void> {
	const distance = shownEntry === undefined ? 0 : shownEntry - window.history.state?.idx
	if (!distance) return
	const moved = new Promise<void>((resolve) => {
		endMove = resolve
	})
	window.history.go(distance)
	await moved
}

/** Like {@link settleOutcomes}, where the requested routes are unknown. */
function giveUp(): Promise<void> {
	const { navigation, fetchers } = router().state
	const target = navigation.location
	toast({ type: 'error', message: failureMessage('GET', target?.pathname ?? '') })
	return endAll(target !== undefined, fetchers)
}

async function endAll(isNavigating: boolean, fetchers: DataRouter['state']['fetchers']): Promise<void> {
	if (isNavigating) await stay()
	else for (const [key, { state }] of fetchers) if (state !== 'idle') router().resetFetcher(key)
}

/** The site was updated, and a script or route of this page's build is gone: the reader decides when to reload. */
function stayForReload(): void {
	const { navigation, fetchers } = router().state
	const isForm = navigation.formMethod !== undefined && navigation.formMethod !== 'GET'
	offerReload(navigation.location && !isForm ? createPath(navigation.location) : window.location.href)
	void endAll(navigation.location !== undefined, fetchers)
}

/** A script of this page's build that the server no longer has. */
class LostScript extends Error {}

/**
 * Loads the script of a route, with retries. React Router waits for the first load only, whatever happened to the navigation, so
 * this never fails: after a failure it continues with the next click that needs the route.
 */
export async function loadRoute(route: RouteEntry): Promise<unknown> {
	for (;;) {
		try {
			return await retryingShown((signal) =>
				importWhole(() => import(/* @vite-ignore */ route.module), filesOf(route), signal),
			)
		} catch (error) {
			if (error instanceof LostScript) renew()
			else void giveUp()
			await nextNavigation(route.id)
		}
	}
}

/** Like {@link loadRoute}, for a part of a page, which renders nothing until then. */
export function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
	return retryingShown((signal) => importWhole(load, [], signal)).catch(async (error) => {
		if (error instanceof LostScript) offerReload(window.location.href)
		await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }))
		return loadPart(load)
	})
}

const filesOf = ({ module, imports = [] }: RouteEntry) => [module, ...imports]

/** @param files that it consists of, as far as known; most browsers name the one that failed */
async function importWhole<Part>(load: () => Promise<Part>, files: string[], signal: AbortSignal): Promise<Part> {
	try {
		return await load()
	} catch (error) {
		// An import does not distinguish a lost connection from a missing file.
		const named = /https?:\S+/.exec(String(error))?.[0]
		for (const file of named ? [...files, named] : files) {
			const { status } = await fetch(file, { signal })
			if (status === 404 || status === 410) throw new LostScript(file)
		}
		throw new NoResponse('The script did not come.', null, error)
	}
}

/** Loads the target as a document of the new build, unless that would lose typed text. */
function renew(): void {
	const { location, formMethod } = router().state.navigation
	if (!location || (formMethod && formMethod !== 'GET') || hasUnsentText()) stayForReload()
	else window.location.assign(createPath(location))
}

function nextNavigation(id: string): Promise<void> {
	return new Promise((resolve) => {
		const end = router().subscribe(({ navigation }) => {
			const isWanted = navigation.matches?.some(({ route }) => route.id === id) ?? false
			if (navigation.state === 'idle' || !isWanted) return
			end()
			resolve()
		})
	})
}

const lists = /^\/(find-dev|forum(\/(tags|ask|category\/[^/]+|tag\/[^/]+))?)$/

/**
 * The message when a request got no response: one sentence for lists and searches, another for the rest.
 * @param method of the request
 * @param pathname of the requested page
 */
export function failureMessage(method: string, pathname: string): string {
	return method === 'GET' && lists.test(pathname) ? 'Something went wrong. Try again!' : 'Something went wrong!'
}

/** The value of a field before the reader typed into it. */
let before = new Map<Field, string>()

type Field = HTMLInputElement | HTMLTextAreaElement

/** Searches are no loss, and nobody types into hidden fields. */
const fields =
	'textarea, input:not([type=hidden], [type=search], [type=checkbox], [type=radio], [type=submit], [type=button], [type=file])'

document.addEventListener(
	'beforeinput',
	({ target }) => {
		if (target instanceof Element && target.matches(fields) && !before.has(target as Field))
			before.set(target as Field, (target as Field).value)
	},
	{ capture: true },
)

/** After a form was sent, its fields no longer count as unsent. */
export function resetTyped(): void {
	before = new Map()
}

/** Whether leaving this page would lose something typed or chosen. */
export function hasUnsentText(): boolean {
	const chosen = [...document.querySelectorAll<HTMLInputElement>('input[type=file]')]
	if (chosen.some(({ files }) => files?.length)) return true
	return [...document.querySelectorAll<Field>(fields)]
		.filter((field) => !field.closest('[role=search], search, form[method=get]'))
		.some((field) => field.value !== '' && field.value !== (before.get(field) ?? field.defaultValue))
}
