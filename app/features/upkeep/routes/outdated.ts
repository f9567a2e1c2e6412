import { redirect } from 'react-router'
import { requireId } from '~/lib/checks.ts'
import { readForm, withRefusalNotice } from '~/platform/http/form.server.ts'
import { redirectWithToast, refererPath, requireLogin } from '~/platform/http/http.ts'
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
		const isSaid = form.get('value') !== '0'
		const { url } = isSaid
			? await reportOutdated(viewer, id, { reason: form.get('reason') ?? '' })
			: await withdrawOutdated(viewer, id)
		const message = isSaid ? 'Noted. Thank you.' : 'Undone.'
		return redirectWithToast(url, { type: 'success', message })
	})
}
