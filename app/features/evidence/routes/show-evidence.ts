import { redirect } from 'react-router'
import { editProfilePath } from '~/features/members/members.view.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { answering, redirectWithToast, signedIn } from '~/platform/http/http.ts'
import { showEvidence } from '../evidence.server.ts'
import type { Route } from './+types/show-evidence'

/** The address of a form; whoever opens it goes to the page that has the form. */
export function loader({ params }: Route.LoaderArgs) {
	return redirect(editProfilePath(params.username))
}

/** What others see of evidence: the form names each of its skills in `skill`, and those that are shown in `shown`. */
export function action({ request, context, params, url }: Route.ActionArgs) {
	return answering(async () => {
		const page = editProfilePath(params.username)
		// Who has to log in first comes back to the page of the form.
		const viewer = signedIn(context, new URL(page, url))
		const form = await readForm(request)
		const shown = form.getAll('shown').map(String)
		const skills = form.getAll('skill').map(String)
		await showEvidence(
			viewer,
			params.username,
			skills.map((skill) => ({ skill, shown: shown.includes(skill) })),
		)
		return redirectWithToast(page, { type: 'success', message: 'Profile updated successfully!' })
	})
}
