import { data } from 'react-router'
import type { z } from 'zod'
import type { FormRefusal } from '~/platform/http/http.ts'
import { formErrorsOf } from '~/platform/http/problem.ts'

/* What the edit forms share between browser and server. */

/** What stands in the fields of a form, by their names; a box holds `on` or nothing, a list its parts with commas. */
export type Texts = Record<string, string>

/** What a form starts from: what is stored, and as which version. */
export interface EditStart {
	version: number
	values: Texts
}

/** Why a save was refused. With `stored`, somebody else saved first: that is what they left. */
export interface EditRefusal extends FormRefusal {
	stored: EditStart | null
}

/** What a form says, with the values of a repeated name joined by commas. Files travel by themselves. */
export function textsOf(form: FormData): Texts {
	const texts: Texts = {}
	for (const name of new Set(form.keys())) {
		const parts = form.getAll(name).filter((part) => typeof part === 'string')
		if (parts.length > 0 && !/password/i.test(name)) texts[name] = parts.join(', ')
	}
	return texts
}

interface ClientAction {
	request: Request
	serverAction: () => Promise<EditRefusal>
}

/**
 * For a `clientAction`: what the form's schema refuses is said at once, without asking the server, which reads the same
 * schema again. A lost network is a refusal like any other, so that what was typed stays.
 * @param notDeleted what is said when the request to delete an item got no answer
 */
export async function checkedFirst(
	schema: z.ZodType,
	{ request, serverAction }: ClientAction,
	notDeleted = 'Something went wrong!',
) {
	const values = textsOf(await request.clone().formData())
	const parsed = values.intent === 'delete' ? null : schema.safeParse(values)
	if (parsed?.error) {
		const { message, fields } = formErrorsOf(parsed.error)
		return data<EditRefusal>({ message, errors: fields, values, stored: null }, { status: 422 })
	}
	return answeredOrRefused(serverAction, values, values.intent === 'delete' ? notDeleted : undefined)
}

/**
 * What the server answers, or a refusal when no answer comes: without one, the page would forget how its form stood.
 * @param values what was sent, passwords left out
 */
export async function answeredOrRefused<Answer>(
	serverAction: () => Promise<Answer>,
	values: Texts,
	message = 'Something went wrong!',
) {
	try {
		return await serverAction()
	} catch (error) {
		if (!(error instanceof TypeError)) throw error
		return data<EditRefusal>({ message, errors: {}, values, stored: null }, { status: 503 })
	}
}
