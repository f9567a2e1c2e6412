import { data, isRouteErrorResponse } from 'react-router'
import type { z } from 'zod'

/*
 * Forms, as far as browser and server share them. What only the server does with one stands in form.server.ts, what a page
 * does after a refusal in ui/form-kit.ts.
 */

/** What stands in the fields of a form, by their names; a box holds `on` or nothing, a list its parts with commas. */
export type FormValues = Record<string, string>

/** What is stored of a form, and as which version. A form starts from it, and a conflict shows it. */
export interface SavedValues {
	version: number
	values: FormValues
}

/** Why a form was refused: a line on top, a message per field, and what was typed. */
export interface FormRefusal {
	message: string
	errors: Record<string, string>
	values: FormValues
	/** What somebody else saved after the form was opened; null when nobody did. */
	stored: SavedValues | null
}

/** What a form says, with the values of a repeated name joined by commas, without files and passwords. */
export function formValues(form: FormData | URLSearchParams): FormValues {
	const values: FormValues = {}
	for (const name of new Set(form.keys())) {
		const parts = form.getAll(name).filter((part) => typeof part === 'string')
		if (parts.length > 0 && !/password/i.test(name)) values[name] = parts.join(', ')
	}
	return values
}

/** Why a form is refused: a line on top, and a message for each field. */
interface FormErrors {
	message: string
	fields: Record<string, string>
}

/** The first message of a refusal on top, and the first of each field at the field. */
export function formErrorsOf(error: z.ZodError): FormErrors {
	const fields: Record<string, string> = {}
	for (const issue of error.issues) fields[String(issue.path[0] ?? '')] ??= issue.message
	return { message: error.issues[0]?.message ?? 'Something is missing.', fields }
}

interface SubmitOptions {
	/** What the form has to keep to. It is checked before anything is sent; a form that deletes is not checked. */
	schema?: z.ZodType
	/** Said when no answer comes. */
	failure?: string
	/** Whether a form stays on its page even where the answer is an error page. */
	staysOnPage?: boolean
}

/**
 * For a `clientAction`: what the schema refuses is said at once, without asking the server, which reads the same schema again.
 * A lost answer is a refusal like any other, so that what was typed stays.
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
		return data<FormRefusal>({ message: failure, errors: {}, values, stored: null }, { status: 503 })
	}
}
