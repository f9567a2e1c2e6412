import { data, type RouterContextProvider } from 'react-router'
import { z } from 'zod'
import { loginPath } from '~/lib/addresses.ts'
import { viewerOf } from '~/lib/context.ts'
import { Conflict, DomainError, Invalid, retryHeaders } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { newKey } from '~/lib/new-key.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { type FormRefusal, formErrorsOf, formValues, type SavedValues } from './form.ts'
import { redirectToConfirmation, redirectWithToast, refererPath, requireLogin, withHttpErrors } from './http.ts'

/* Forms on the server: reading one, its version, conflicts between two saves, and the response to invalid input. */

/**
 * Reads the form of a request; the only place where forms are read. NUL characters, which PostgreSQL cannot store, are removed,
 * except from passwords, which are never stored.
 * @throws data with status 415 when the body is no form, 400 when it is incomplete or malformed
 */
export async function readForm(request: Request): Promise<FormData> {
	const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
	const isForm = type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data'
	if (!isForm) throw data({ message: 'This address only accepts forms.' }, { status: 415 })
	let form: FormData
	try {
		form = await request.formData()
	} catch {
		throw data({ message: 'The form arrived incomplete. Reload the page and try again.' }, { status: 400 })
	}
	for (const [name, value] of [...form]) {
		if (typeof value !== 'string' || !value.includes('\0') || /password/i.test(name)) continue
		const values = form.getAll(name)
		form.delete(name)
		for (const each of values) form.append(name, typeof each === 'string' ? each.replaceAll('\0', '') : each)
	}
	// Pages of 0.3.0 that are open during an update name some buttons `act`. The release after the next one no longer needs this.
	const former = form.get('act')
	if (former !== null && !form.has('intent')) form.set('intent', former)
	return form
}

/** The text of a field; '' for a missing one, and for a file. */
export function readText(form: FormData, name: string): string {
	const value = form.get(name)
	return typeof value === 'string' ? value : ''
}

/**
 * The response to an unknown button: the page with the form is older than the last update. It is an error page, as the form that
 * would show the message may be gone too.
 */
export function unknownIntent(): Response {
	return Response.json({ message: 'This action is unknown. Reload the page and try again.' }, { status: 400 })
}

/**
 * Runs what the pressed button of a form stands for; every action for several buttons dispatches by this, so that none is a default.
 * @param sent the value of the button, from the form's field `intent`
 * @param intents what to run, by that value; `''` for a button without one
 * @param args what it is given
 * @returns what that returns
 * @throws the response {@link unknownIntent} for any other value, before anything was run
 */
export function chooseIntent<Args extends unknown[], Intents extends Record<string, (...args: Args) => unknown>>(
	sent: FormDataEntryValue | null,
	intents: Intents,
	...args: Args
): ReturnType<Intents[keyof Intents]> {
	const name = String(sent ?? '')
	const chosen = Object.hasOwn(intents, name) ? intents[name] : undefined
	if (!chosen) throw unknownIntent()
	return chosen(...args) as ReturnType<Intents[keyof Intents]>
}

/** Unparsed input of a use case, from a form or a program: field names to values. The use case parses it, whatever the caller did. */
export type Input = Record<string, unknown>

/**
 * Parses a form by its schema.
 * @throws Invalid with the first message on top, and the first message of each field at the field
 */
export function parseForm<Schema extends z.ZodType>(schema: Schema, form: FormData): z.output<Schema> {
	return parseInput(schema, Object.fromEntries(form))
}

/** As {@link parseForm}, for input that did not come from a form. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
	const parsed = schema.safeParse(input)
	if (parsed.success) return parsed.data
	const { message, fields } = formErrorsOf(parsed.error)
	throw new Invalid(message, fields)
}

const version = z.coerce
	.number({ error: 'The form is incomplete. Reload the page.' })
	.int()
	.min(1)
	.max(2 ** 31 - 1)
const versionInput = z.object({ version })
const optionalVersionInput = z.object({
	version: z.preprocess((value) => (value === '' ? undefined : value), version.nullable().default(null)),
})

/** The version that an edit started from. @throws Invalid without one */
export function requireVersion(input: Input): number {
	return parseInput(versionInput, input).version
}

/** As {@link requireVersion}; null when the sender names none, and then the last save wins. */
export function readVersion(input: Input): number | null {
	return parseInput(optionalVersionInput, input).version
}

/** Somebody else, or another tab, saved first. `stored` holds their values and version. */
export class EditConflict extends Conflict {
	readonly stored: SavedValues
	constructor(stored: SavedValues) {
		super('This was changed elsewhere in the meantime. Nothing is lost: choose which version to keep.')
		this.stored = stored
	}
}

/**
 * Handles a save that came too late. A save of what is already stored, as the second half of a double click, is no conflict.
 * @param sent the fields of the save, as their schema reads them
 * @throws EditConflict when a field differs
 */
export function requireSameAsStored(stored: SavedValues, sent: object): void {
	if (!isSameAsStored(stored, sent)) throw new EditConflict(stored)
}

/** Whether a save changes nothing. @param sent as of {@link requireSameAsStored} */
export function isSameAsStored(stored: SavedValues, sent: object): boolean {
	return Object.entries(sent).every(([name, value]) => fieldText(value) === stored.values[name])
}

/** A value as a form field holds it: `on` or nothing for a checkbox, comma-separated parts for a list. */
export function fieldText(value: unknown): string {
	if (typeof value === 'boolean') return value ? 'on' : ''
	return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

/** An idempotency key was sent again with another text. The form gets a new key, to be sent as a post of its own. */
export class KeyReused extends Invalid {
	constructor() {
		super(
			'This has already been posted, without your last change. Edit the post itself; if you send this again, it is posted a second time.',
		)
	}
}

/**
 * The response of an action to a rejected form, with which the form is shown again with what was typed.
 * @param error whatever the use case threw; redirects are rethrown, including the one that confirms the member's identity
 * @param form what was sent; passwords are left out
 * @param unexpected the message for an unforeseen failure, which is logged; without it that failure is rethrown
 */
export function refuseForm(error: unknown, form: FormData, unexpected?: string) {
	if (error instanceof Response) throw error
	redirectToConfirmation(error)
	const values = formValues(form)
	if (!(error instanceof DomainError)) {
		if (unexpected === undefined) throw error
		log.error({ err: error }, 'a form could not be saved')
		return data<FormRefusal>({ message: unexpected, errors: {}, values, stored: null }, { status: 500 })
	}
	if (error instanceof KeyReused) values.key = newKey()
	const errors = error instanceof Invalid ? error.fields : {}
	const stored = error instanceof EditConflict ? error.stored : null
	return data<FormRefusal>(
		{ message: error.message, errors, values, stored },
		{ status: error.status, headers: retryHeaders(error) },
	)
}

/**
 * What a toggle button asks for, by the field `value` of its form.
 * @returns 1 to switch it on, 0 to switch it off
 * @throws Invalid with `message` for anything else
 */
export function requireToggle(form: FormData, message: string): 0 | 1 {
	const value = Number(form.get('value') || Number.NaN)
	if (value !== 0 && value !== 1) throw new Invalid(message)
	return value
}

interface Pressing {
	request: Request
	context: Readonly<RouterContextProvider>
	/** Does what the form asks for. */
	work: (viewer: SignedIn, form: FormData) => Promise<{ value: number; count: number; response: () => Response }>
}

/**
 * Answers a form that scripts send in the background: scripts get the new state as JSON, a browser without scripts the page it came
 * from, with a notice if it is refused. Visitors are redirected to the login page, and back afterwards.
 */
export async function handleBackgroundForm({ request, context, work }: Pressing): Promise<Response> {
	const back = new URL(refererPath(request, '/forum'), request.url)
	const form = await readForm(request)
	if (!request.headers.get('Accept')?.startsWith('application/json'))
		return withRefusalNotice(request, async () => (await work(requireLogin(context, back), form)).response())
	const viewer = viewerOf(context)
	if (!viewer)
		return Response.json({ message: 'Log in first.', login: loginPath(back.pathname + back.search) }, { status: 401 })
	try {
		const { value, count } = await work(viewer, form)
		return Response.json({ value, count })
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return Response.json({ message: error.message }, { status: error.status })
	}
}

/**
 * As {@link withHttpErrors}, for a form that has no page of its own: a browser that is refused goes back to the page with the form, which
 * shows why. Programs, which send no Referer, get the status.
 */
export function withRefusalNotice(request: Request, work: () => Promise<Response>): Promise<Response> {
	return withHttpErrors(async () => {
		try {
			return await work()
		} catch (error) {
			if (!(error instanceof DomainError && request.headers.has('Referer'))) throw error
			return redirectWithToast(refererPath(request, '/forum'), { type: 'error', message: error.message })
		}
	})
}
