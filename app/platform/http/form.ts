import { data, isRouteErrorResponse } from 'react-router'
import type { z } from 'zod'
import { messageOf } from '~/lib/errors.ts'

/*
 * What browser and server share about forms. Code for the server alone is in form.server.ts; the page's handling of errors is in
 * ui/form-kit.ts.
 */

/** Field values by name; a checkbox holds `on` or nothing, a list comma-separated parts. */
export type FormValues = Record<string, string>

/** The stored values of a form, and their version. A form starts from them, and a conflict shows them. */
export interface SavedValues {
	version: number
	values: FormValues
}

/** Why a form was rejected: a message on top, a message for each field, and what was typed. */
export interface FormRefusal {
	message: string
	errors: Record<string, string>
	values: FormValues
	/** What somebody else saved after the form was opened; null when nobody did. */
	stored: SavedValues | null
}

/** The values of a form, those of a repeated name joined by commas, without files and passwords. */
export function formValues(form: FormData | URLSearchParams): FormValues {
	const values: FormValues = {}
	for (const name of new Set(form.keys())) {
		const parts = form.getAll(name).filter((part) => typeof part === 'string')
		if (parts.length > 0 && !/password/i.test(name)) values[name] = parts.join(', ')
	}
	return values
}

/** Validation errors: a message on top, and one for each field. */
interface FormErrors {
	message: string
	fields: Record<string, string>
}

/** The first error on top, and the first error of each field at the field. */
export function formErrorsOf(error: z.ZodError): FormErrors {
	const fields: Record<string, string> = {}
	for (const issue of error.issues) fields[String(issue.path[0] ?? '')] ??= issue.message
	return { message: error.issues[0]?.message ?? 'Something is missing.', fields }
}

interface SubmitOptions {
	/** Checked before anything is sent, except by a form that deletes. */
	schema?: z.ZodType
	/** Shown when no response comes. */
	failure?: string
	/** Whether a form stays on its page even when the response is an error page, whose message it then shows. */
	staysOnPage?: boolean
}

/**
 * For a `clientAction`: shows validation errors at once, without asking the server, which checks the same schema again. A lost
 * response is handled like an error, so that what was typed stays.
 * @throws what leads to another page: redirects and, unless `staysOnPage`, error pages
 */
export async function submitForm<Answer>(
	{ request, serverAction }: { request: Request; serverAction: (values: FormValues) => Promise<Answer> },
	{ schema, failure = 'Something went wrong!', staysOnPage = false }: SubmitOptions = {},
) {
	const values = formValues(await request.clone().formData())
	const parsed = values.intent === 'delete' || values.intent === 'order' ? undefined : schema?.safeParse(values)
	if (parsed?.error) {
		const { message, fields } = formErrorsOf(parsed.error)
		return data<FormRefusal>({ message, errors: fields, values, stored: null }, { status: 422 })
	}
	try {
		return await serverAction(values)
	} catch (error) {
		if (error instanceof Response || (isRouteErrorResponse(error) && !staysOnPage)) throw error
		// The guard of requests knows the reason of some.
		const { sentence } = error as { sentence?: string }
		const message = sentence ?? ((isRouteErrorResponse(error) && messageOf(error.data)) || failure)
		return data<FormRefusal>({ message, errors: {}, values, stored: null }, { status: 503 })
	}
}
