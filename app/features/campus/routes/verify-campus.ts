import { redirect } from 'react-router'
import { editProfilePath } from '~/features/members/members.view.ts'
import { factsOf } from '~/lib/context.ts'
import { DomainError } from '~/lib/errors.ts'
import { redirectWithSuccess, redirectWithToast, requireLogin } from '~/platform/http/http.ts'
import { requestCampusVerification } from '../campus.server.ts'
import type { Route } from './+types/verify-campus'

/** Only forms are posted here; a GET redirects to the page of the form. */
export function loader({ context, url }: Route.LoaderArgs) {
	return redirect(editProfilePath(requireLogin(context, url).username, 'academics'))
}

/** Mails the confirmation link, and redirects back with a notice. */
export async function action({ context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const back = editProfilePath(viewer.username, 'academics')
	try {
		const email = await requestCampusVerification(viewer, viewer.username, factsOf(context).ip)
		return redirectWithSuccess(back, `A link is on its way to ${email}. It works for 10 minutes.`)
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		return redirectWithToast(back, { type: 'error', message: error.message })
	}
}
