import { data, isRouteErrorResponse } from 'react-router'
import { textsOf } from '~/platform/http/form-texts.ts'
import type { BoxRefusal } from './discussion-context.ts'

/**
 * For a `clientAction`: what goes wrong between browser and server is a refusal like any other, so that the text stays in its
 * box with the key of its sending: sent again, it makes one comment, whether or not the first one arrived.
 */
export async function sendBox<Answer>({
	request,
	serverAction,
}: {
	request: Request
	serverAction: () => Promise<Answer>
}) {
	const form = await request.clone().formData()
	try {
		return await serverAction()
	} catch (error) {
		if (error instanceof Response || isRouteErrorResponse(error) || !form.has('body')) throw error
		const refusal = { message: 'Something went wrong. Try again!', errors: {}, values: textsOf(form), stored: null }
		return data<BoxRefusal>(refusal, { status: 503 })
	}
}
