import { data, type RouterContextProvider, redirect } from 'react-router'
import { type Flash, type FlashAction, type SignedIn, viewerOf } from './context.ts'
import { DomainError, Invalid, retryHeaders } from './errors.ts'

/**
 * Runs a loader or an action and turns a broken rule into the answer of its status, for the error page to show.
 * The one place where domain errors become HTTP for pages.
 */
export async function answering<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work()
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		throw data({ message: error.message }, { status: error.status, headers: retryHeaders(error) })
	}
}

/** As {@link answering}, for an address that scripts ask: JSON that is kept nowhere, and `{ message }` for a broken rule. */
export async function answeringJson(work: () => Promise<object>): Promise<Response> {
	const headers = { 'Cache-Control': 'private, no-store' }
	try {
		return Response.json(await work(), { headers })
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		const { message, status } = error
		return Response.json({ message }, { status, headers: { ...headers, ...retryHeaders(error) } })
	}
}

/** What a form shows after a refusal: a line on top, a message per field, and what was typed. */
export interface FormRefusal {
	message: string
	errors: Record<string, string>
	values: Record<string, string>
}

/**
 * The answer of an action whose form was refused, so that the form can be shown again with what was typed.
 * @param error anything that the use case threw; what is no broken rule is thrown on
 * @param form what was sent; passwords are left out
 */
export function refused(error: unknown, form: FormData) {
	if (!(error instanceof DomainError)) throw error
	const values: Record<string, string> = {}
	for (const [name, value] of form) if (typeof value === 'string' && !/password/i.test(name)) values[name] = value
	const refusal: FormRefusal = { message: error.message, errors: error instanceof Invalid ? error.fields : {}, values }
	return data(refusal, { status: error.status, headers: retryHeaders(error) })
}

/** The viewer of a page that needs one. @throws a redirect to the login page, which leads back here. */
export function signedIn(context: Readonly<RouterContextProvider>, url: URL): SignedIn {
	const viewer = viewerOf(context)
	if (viewer) return viewer
	throw redirect(`/login?redirectTo=${encodeURIComponent(url.pathname + url.search)}`)
}

/**
 * The address to go to after a form: `to` when it is a path within this site, else `fallback`.
 * `//host`, `/\host`, other schemes and control characters lead outside and are not followed.
 */
export function safeRedirect(to: unknown, fallback: string): string {
	if (typeof to !== 'string' || !to.startsWith('/') || /^\/[/\\]|[\\\p{Cc}]/u.test(to)) return fallback
	const resolved = new URL(to, 'http://site.invalid')
	return resolved.host === 'site.invalid' ? resolved.pathname + resolved.search + resolved.hash : fallback
}

const flashCookie = 'flash'

/** Sends the browser on with 303 and has the next page show `flash` as a toast, with JavaScript or without. */
export function redirectWithToast(to: string, flash: Flash, headers = new Headers()): Response {
	headers.append(
		'Set-Cookie',
		`${flashCookie}=${encodeURIComponent(JSON.stringify(flash))}; Path=/; Max-Age=60; SameSite=Lax; HttpOnly`,
	)
	return redirect(to, { status: 303, headers })
}

/** The flash that a redirect left in the request's cookies, and null for anything that is not one of ours. */
export function flashOf(request: Request): Flash | null {
	const text = cookieOf(request, flashCookie)
	try {
		const flash: unknown = JSON.parse(decodeURIComponent(text ?? ''))
		if (!isFlash(flash)) return null
		const { type, action } = flash
		return { type, message: flash.message.slice(0, 300), ...(isAction(action) && { action }) }
	} catch {
		return null
	}
}

/** Takes the flash back once a page has shown it. */
export const clearFlash = `${flashCookie}=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly`

/** The value of a cookie as it was sent, or null. */
export function cookieOf(request: Request, name: string): string | null {
	const pairs = (request.headers.get('Cookie') ?? '').split(/;\s*/)
	return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null
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
