import { redirect } from 'react-router'
import { refererPath, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { dismissFirstSteps } from '../profiles.server.ts'
import type { Route } from './+types/first-steps'

/** Only forms post here; a browser that opens the address is redirected to the page with the form. */
export function loader() {
	return redirect('/find-dev')
}

/** Dismisses the first steps, and stays on the page that showed them. */
export function action({ request, context, url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		await dismissFirstSteps(requireLogin(context, url))
		return redirect(refererPath(request, '/find-dev'), 303)
	})
}
