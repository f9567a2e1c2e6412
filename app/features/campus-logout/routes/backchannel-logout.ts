import { factsOf } from '~/lib/context.ts'
import { readForm, readText } from '~/platform/http/form.server.ts'
import { respondJson } from '~/platform/http/http.ts'
import { receiveLogoutToken } from '../campus-logout.server.ts'
import type { Route } from './+types/backchannel-logout'

/** Explains the address to people who open it. */
export function loader() {
	return new Response('The login service of the university posts logout tokens here.', {
		status: 405,
		headers: { Allow: 'POST' },
	})
}

/** Receives a logout token from the login service of the campus: the form field `logout_token`. Answers 200, 400 or 429. */
export function action({ request, context }: Route.ActionArgs) {
	return respondJson(async () => {
		// A body that is not a form has no token, and gets the same answer.
		const form = await readForm(request).catch(() => new FormData())
		await receiveLogoutToken(readText(form, 'logout_token'), factsOf(context).ip)
		return {}
	})
}
