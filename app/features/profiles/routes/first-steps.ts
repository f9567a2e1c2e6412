import { redirect } from 'react-router'
import { answering, refererPath, signedIn } from '~/platform/http/http.ts'
import { dismissFirstSteps } from '../profiles.server.ts'
import type { Route } from './+types/first-steps'

/** The address of a form; whoever opens it goes to the page that has the form. */
export function loader() {
	return redirect('/find-dev')
}

/** Puts the first steps away and stays on the page that showed them. */
export function action({ request, context, url }: Route.ActionArgs) {
	return answering(async () => {
		await dismissFirstSteps(signedIn(context, url))
		return redirect(refererPath(request, '/find-dev'), 303)
	})
}
