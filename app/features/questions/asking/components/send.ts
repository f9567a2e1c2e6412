import { data } from 'react-router'
import { textsOf } from '~/platform/http/form-texts.ts'
import { problemsOf } from '~/platform/http/problems.ts'
import { askInput } from '../../questions.schema.ts'
import type { AskRefusal } from '../asking.view.ts'
import { heldSaver } from './draft-saver.ts'

interface ClientAction {
	request: Request
	serverAction: () => Promise<AskRefusal>
}

const failed = 'Something went wrong. Try again!'

/**
 * For a `clientAction`: what the schema refuses is said at once; the save of the draft that is on its way ends before the
 * form is sent, as it would bring the draft back after it was published; and what goes wrong between browser and server is
 * a refusal like any other, so that what was typed stays.
 */
export async function sendAsked({ request, serverAction }: ClientAction) {
	const form = await request.clone().formData()
	const values = textsOf(form)
	const parsed = askInput.safeParse(values)
	if (parsed.error) {
		const { message, fields } = problemsOf(parsed.error)
		return data<AskRefusal>({ message, errors: fields, values, stored: null }, { status: 422 })
	}
	const saver = await heldSaver(values.draft ?? '')
	try {
		const refusal = await serverAction()
		saver?.resume()
		return refusal
	} catch (error) {
		if (!(error instanceof Response)) {
			saver?.resume()
			return data<AskRefusal>({ message: failed, errors: {}, values, stored: null }, { status: 503 })
		}
		const published = error.headers.get('Location')?.startsWith('/login') === false
		if (published) saver?.end()
		throw error
	}
}
