import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { handleBackgroundForm, requireToggle } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, refererPath } from '~/platform/http/http.ts'
import { followQuestion, setAffected } from '../following.server.ts'
import type { Route } from './+types/press'

export function loader() {
	return redirect('/following')
}

/** Fields `query`; `what` (`follow`, or `too` for “I have this too”); `value` (1, or 0 to undo). */
export function action({ request, context }: Route.ActionArgs) {
	return handleBackgroundForm({
		request,
		context,
		work: async (viewer, form) => {
			const value = requireToggle(form, 'Send 1 to begin, or 0 to end it.')
			const id = requireId(form.get('query'))
			if (form.get('what') === 'too') {
				const { count, url } = await setAffected(viewer, id, value === 1)
				const message = value === 1 ? 'Noted. You follow this query now.' : 'Undone. You still follow this query.'
				return { value, count, response: () => redirectWithSuccess(url, message) }
			}
			const { url } = await followQuestion(viewer, id, value === 1)
			const message = value === 1 ? 'You will be notified of new comments.' : 'You no longer follow this query.'
			return {
				value,
				count: 0,
				response: () => redirectWithSuccess(refererPath(request, url), message),
			}
		},
	})
}
