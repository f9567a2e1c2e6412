import { data, type RouterContextProvider, redirect } from 'react-router'
import { confirmPath, loginPath } from '~/lib/addresses.ts'
import { type Flash, type FlashAction, type SignedIn, viewerOf } from '~/lib/context.ts'
import { ConfirmationRequired, DomainError, NoSuch, retryHeaders } from '~/lib/errors.ts'
import { PREFETCH_HEADER } from '~/lib/page-handle.ts'
import { readCookie, setCookieHeader } from './cookies.ts'

/**
 * Runs a loader or an action, and turns a domain error into a response with its status, for the error page to show. The only place
 * that maps domain errors to HTTP for pages.
 */
export async function withHttpErrors<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work()
	} catch (error) {
		redirectToConfirmation(error)
		if (!(error instanceof DomainError)) throw error
		const message = error instanceof NoSuch ? error.title : error.message
		throw data({ message }, { status: error.status, headers: retryHeaders(error) })
	}
}

/** For an error of a use case: redirects whoever has to confirm their identity. @throws a redirect */
export function redirectToConfirmation(error: unknown): void {
	if (error instanceof ConfirmationRequired) throw redirect(confirmPath(error.back), { status: 303 })
}

/**
 * Looks up what the token of an address stands for, for a page that explains invalid tokens.
 * @param find throws a domain error when there is nothing
 * @returns an empty message with what was found, else null with the message and status of the error
 */
export async function findByToken<Found>(
	find: () => Promise<Found>,
): Promise<{ found: Found | null; message: string; status: number }> {
	try {
		return { found: await find(), message: '', status: 200 }
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return { found: null, message: error.message, status: error.status }
	}
}

/** As {@link withHttpErrors}, for addresses that scripts request: JSON that is not cached, and `{ message }` for a domain error. */
export async function respondJson(work: () => Promise<object>): Promise<Response> {
	const headers = { 'Cache-Control': 'private, no-store' }
	try {
		return Response.json(await work(), { headers })
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		const { message, status } = error
		return Response.json({ message }, { status, headers: { ...headers, ...retryHeaders(error) } })
	}
}

/** Answers a member's script with JSON that is not cached; 401 for a visitor. */
export function respondToMember(
	context: Readonly<RouterContextProvider>,
	work: (viewer: SignedIn) => Promise<object>,
): Promise<Response> | Response {
	const viewer = viewerOf(context)
	if (viewer) return respondJson(() => work(viewer))
	const headers = { 'Cache-Control': 'private, no-store' }
	return Response.json({ message: 'Log in first.' }, { status: 401, headers })
}

/** Whether a page is prefetched: nobody has read it yet. */
export function isPrefetch(request: Request): boolean {
	return request.headers.has(PREFETCH_HEADER)
}

/** Whether a script or a prefetch sent the request rather than a navigation, by the header that browsers send. */
export function isBackgroundRequest(request: Request): boolean {
	return (request.headers.get('Sec-Fetch-Mode') ?? 'navigate') !== 'navigate'
}

/** The viewer of a page for members. @throws a redirect to the login page, which leads back here */
export function requireLogin(context: Readonly<RouterContextProvider>, url: URL): SignedIn {
	const viewer = viewerOf(context)
	if (viewer) return viewer
	throw redirect(loginPath(url.pathname + url.search))
}

/** Hardly a page of ours has a longer address, even one about a hundred accounts; proxies accept about 8,000. */
const MAX_REDIRECT_LENGTH = 4_000
/** A placeholder for the site's origin: a path that leads elsewhere resolves to another one. */
const site = 'http://site.invalid'

/**
 * Validates a redirect target from outside: a field, a parameter, a Referer, a cookie. Every redirect to such an address uses this.
 * `to` counts when it is a path within this site, and still is once resolved; else `fallback` is used. `//host`, `/\host`, other
 * schemes, control characters, and paths that leave the site once their dots are resolved, as `/.//host` and `/%2e%2e//host`, are
 * rejected.
 */
export function safeRedirect(to: unknown, fallback: string): string {
	if (typeof to !== 'string' || to.length > MAX_REDIRECT_LENGTH || !isLocalPath(to) || !to.isWellFormed())
		return fallback
	const resolved = URL.parse(to, site)
	if (resolved?.origin !== site) return fallback
	const path = resolved.pathname + resolved.search + resolved.hash
	return isLocalPath(path) && URL.parse(path, site)?.href === resolved.href ? path : fallback
}

/** Whether a text begins as a path of this site, and holds nothing that a browser would read differently. */
function isLocalPath(text: string): boolean {
	return text.startsWith('/') && !/^\/[/\\]|[\\\p{Cc}]/u.test(text)
}

/**
 * The page of this site that a form was sent from, by its Referer; a path, or `fallback`. The host is ignored: a foreign one leads
 * to a page of ours, if there is one at that path.
 */
export function refererPath(request: Request, fallback: string): string {
	const from = URL.parse(request.headers.get('Referer') ?? '')
	return safeRedirect(from && from.pathname + from.search, fallback)
}

/**
 * The response to the form of a fetcher, whose page stays open. Without scripts it is a redirect to that page, which the form names
 * in `redirectTo`. With scripts, a redirect would cancel the loading of another page.
 */
export function stayOnPage(request: Request, form: FormData, headers: HeadersInit) {
	if (new URL(request.url).pathname.endsWith('.data')) return data(null, { headers })
	return redirect(safeRedirect(form.get('redirectTo'), refererPath(request, '/')), { status: 303, headers })
}

/** Redirects with 303, and makes the next page show `flash` as a toast, with or without JavaScript. */
export function redirectWithToast(to: string, flash: Flash, headers = new Headers()): Response {
	headers.append('Set-Cookie', setCookieHeader('flash', encodeURIComponent(JSON.stringify(flash)), 60))
	return redirect(to, { status: 303, headers })
}

/** As {@link redirectWithToast}, for an action that did what was asked. @param message a whole sentence */
export function redirectWithSuccess(to: string, message: string, headers?: Headers): Response {
	return redirectWithToast(to, { type: 'success', message }, headers)
}

/** The flash in the request's cookies; null for anything malformed. */
export function flashOf(request: Request): Flash | null {
	const text = readCookie(request.headers.get('Cookie'), 'flash')
	if (!text) return null
	try {
		const flash: unknown = JSON.parse(decodeURIComponent(text))
		if (!isFlash(flash)) return null
		const { type, action } = flash
		return { type, message: flash.message.slice(0, 300), ...(isAction(action) && { action }) }
	} catch {
		return null
	}
}

/** The Set-Cookie header that removes the flash once a page has shown it. */
export function clearFlash(): string {
	return setCookieHeader('flash', '', 0)
}

function isFlash(value: unknown): value is Flash {
	const flash = value as Partial<Flash> | null
	return typeof flash?.message === 'string' && ['success', 'error', 'plain'].includes(String(flash.type))
}

function isAction(value: unknown): value is FlashAction {
	const action = value as Partial<FlashAction> | null | undefined
	return (
		typeof action?.label === 'string' &&
		typeof action.to === 'string' &&
		safeRedirect(action.to, '') === action.to &&
		typeof action.fields === 'object' &&
		action.fields !== null &&
		Object.values(action.fields).every((field) => typeof field === 'string')
	)
}

/** A whole number in an address; anything else becomes NaN, which the use case rejects. */
export function numberParam(params: URLSearchParams, name: string): number | null {
	const text = params.get(name)
	if (text === null) return null
	return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}

/** Begins a file of CSV: the byte order mark makes spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Sends a file of CSV.
 * @param name the name of the file
 * @param lines the file, from `csvLine` of lib/csv.ts, or its parts while they are read; no more are read once the reader has gone
 */
export function csvResponse(name: string, lines: string | AsyncGenerator<string>): Response {
	return new Response(typeof lines === 'string' ? BYTE_ORDER_MARK + lines : streamOf(lines), {
		headers: {
			'Content-Type': 'text/csv; charset=utf-8',
			'Content-Disposition': `attachment; filename="${name}"`,
			'Cache-Control': 'private, no-store',
		},
	})
}

function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder()
	return new ReadableStream<Uint8Array>({
		start: (controller) => controller.enqueue(encoder.encode(BYTE_ORDER_MARK)),
		async pull(controller) {
			const { value, done } = await lines.next()
			if (done) controller.close()
			else controller.enqueue(encoder.encode(value))
		},
		cancel: () => void lines.return(undefined),
	})
}
