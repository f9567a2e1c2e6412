import { redirect } from 'react-router'
import { editProfilePath } from '~/features/members/members.view.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { setEvidenceShown } from '../evidence.server.ts'
import type { Route } from './+types/show-evidence'

/** Only forms are posted here; a GET redirects to the page of the form. */
export function loader({ params }: Route.LoaderArgs) {
	return redirect(editProfilePath(params.username))
}

/**
 * Sets which evidence others see: the form names each of its skills in `skill`, those that were hidden before in `hidden`, and the shown
 * ones in `shown`.
 */
export function action({ request, context, params, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		const page = editProfilePath(params.username)
		// After a login the member returns to the page of the form.
		const viewer = requireLogin(context, new URL(page, url))
		const form = await readForm(request)
		const shown = form.getAll('shown').map(String)
		const hidden = form.getAll('hidden').map(String)
		const skills = form.getAll('skill').map(String)
		// The others may have been changed in another tab.
		const changed = skills.filter((skill) => shown.includes(skill) === hidden.includes(skill))
		await setEvidenceShown(
			viewer,
			params.username,
			changed.map((skill) => ({ skill, shown: shown.includes(skill) })),
		)
		return redirectWithSuccess(page, 'Profile updated successfully!')
	})
}
