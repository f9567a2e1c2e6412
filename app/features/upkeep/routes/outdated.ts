import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { chooseIntent, readForm, withRefusalNotice } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, refererPath, requireLogin } from '~/platform/http/http.ts'
import { reportOutdated, withdrawOutdated } from '../outdated.server.ts'
import type { Route } from './+types/outdated'

export function loader() {
	return redirect('/forum')
}

/** Reports a solution: fields `comment`, `value` (1, or 0 to withdraw), `reason`. */
export async function action({ request, context }: Route.ActionArgs) {
	const form = await readForm(request)
	return withRefusalNotice(request, async () => {
		const viewer = requireLogin(context, new URL(refererPath(request, '/forum'), request.url))
		const id = requireId(form.get('comment'))
		return chooseIntent(form.get('value'), {
			1: async () => {
				const { url } = await reportOutdated(viewer, id, { reason: form.get('reason') ?? '' })
				return redirectWithSuccess(url, 'Noted. Thank you.')
			},
			0: async () => {
				const { url } = await withdrawOutdated(viewer, id)
				return redirectWithSuccess(url, 'Undone.')
			},
		})
	})
}
