import { data, type RouterContextProvider } from 'react-router'
import { z } from 'zod'
import { loginPath } from '~/lib/addresses.ts'
import { viewerOf } from '~/lib/context.ts'
import { Conflict, DomainError, Invalid, retryHeaders } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { newKey } from '~/lib/new-key.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { type FormRefusal, formErrorsOf, formValues, type SavedValues } from './form.ts'
import { answering, leadToConfirmation, refererPath, signedIn } from './http.ts'

/* Forms on the server: reading one, its version, conflicts between two saves, and the answer to one that is refused. */

/**
 * The form that a request brought; the one place where forms are read. NUL, which no keyboard types and PostgreSQL does not
 * store, is left out of its texts, passwords excepted: those are never stored.
 * @throws data of status 415 when it is no form, 400 when it is broken off or badly made
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
	return form
}

/** What a use case takes from a form or a program: field names to values. It is parsed there, whatever the caller did. */
export type Input = Record<string, unknown>

/**
 * What a form sent, as its schema reads it.
 * @throws Invalid with the first message on top and the first of each field at the field
 */
export function parseForm<Schema extends z.ZodType>(schema: Schema, form: FormData): z.output<Schema> {
	return parseInput(schema, Object.fromEntries(form))
}

/** As {@link parseForm}, for input that did not come as a form. */
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

/** The version that a form was made from. @throws Invalid without one */
export function requireVersion(input: Input): number {
	return parseInput(versionInput, input).version
}

/** As {@link requireVersion}; null when the sender does not say, and then the last save wins. */
export function readVersion(input: Input): number | null {
	return parseInput(optionalVersionInput, input).version
}

/** Somebody else, or another tab, saved first. `stored` is what they left, and as which version. */
export class EditConflict extends Conflict {
	readonly stored: SavedValues
	constructor(stored: SavedValues) {
		super('This was changed elsewhere in the meantime. Nothing is lost: choose which version to keep.')
		this.stored = stored
	}
}

/**
 * For a save that came too late. One that says what is stored, as the second half of a double click does, is no conflict.
 * @param sent the fields of the save, as their schema reads them
 * @throws EditConflict when a field says anything else
 */
export function requireSame(stored: SavedValues, sent: object): void {
	const isSame = Object.entries(sent).every(([name, value]) => fieldText(value) === stored.values[name])
	if (!isSame) throw new EditConflict(stored)
}

/** A value as it stands in the field of a form: `on` or nothing for a box, parts with commas for a list. */
export function fieldText(value: unknown): string {
	if (typeof value === 'boolean') return value ? 'on' : ''
	return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}

/** An idempotency key came a second time with another text. Its form gets a new one, to be sent as a post of its own. */
export class KeyUsed extends Invalid {
	constructor() {
		super(
			'This has already been posted, without your last change. Edit the post itself; if you send this again, it is posted a second time.',
		)
	}
}

/**
 * The answer of an action whose form was refused, so that the form can be shown again with what was typed.
 * @param error anything that the use case threw; a redirect is thrown on, and so is one to confirm who it is
 * @param form what was sent; passwords are left out
 * @param unexpected what is said of a failure that nobody foresaw, which goes to the log; without it that is thrown on
 */
export function refused(error: unknown, form: FormData, unexpected?: string) {
	if (error instanceof Response) throw error
	leadToConfirmation(error)
	const values = formValues(form)
	if (!(error instanceof DomainError)) {
		if (unexpected === undefined) throw error
		log.error({ err: error }, 'a form could not be saved')
		return data<FormRefusal>({ message: unexpected, errors: {}, values, stored: null }, { status: 500 })
	}
	if (error instanceof KeyUsed) values.key = newKey()
	const errors = error instanceof Invalid ? error.fields : {}
	const stored = error instanceof EditConflict ? error.stored : null
	return data<FormRefusal>(
		{ message: error.message, errors, values, stored },
		{ status: error.status, headers: retryHeaders(error) },
	)
}

interface Pressing {
	request: Request
	context: Readonly<RouterContextProvider>
	/** What the form asks for. */
	act: (viewer: SignedIn, form: FormData) => Promise<{ value: number; count: number; response: () => Response }>
}

/**
 * Answers a form that scripts send in the background: them with the new state as JSON, a browser without scripts with the
 * page it came from. A visitor is led to the login page and back.
 */
export async function pressed({ request, context, act }: Pressing): Promise<Response> {
	const back = new URL(refererPath(request, '/forum'), request.url)
	const form = await readForm(request)
	if (!request.headers.get('Accept')?.startsWith('application/json'))
		return answering(async () => (await act(signedIn(context, back), form)).response())
	const viewer = viewerOf(context)
	if (!viewer) return Response.json({ message: 'Log in first.', login: loginPath(back.pathname) }, { status: 401 })
	try {
		const { value, count } = await act(viewer, form)
		return Response.json({ value, count })
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return Response.json({ message: error.message }, { status: error.status })
	}
}
