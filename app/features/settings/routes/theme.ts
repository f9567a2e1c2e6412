import { redirect, replace } from 'react-router'
import { themeCookie } from '~/platform/http/cookies.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { refererPath, safeRedirect } from '~/platform/http/http.ts'
import type { Route } from './+types/theme'

export function loader() {
	return redirect('/')
}

/** Stores the theme in a cookie, so that the server renders the next page with it. */
export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	// A redirect of a fetcher would add the same page to the history once more.
	return replace(safeRedirect(form.get('redirectTo'), refererPath(request, '/')), {
		status: 303,
		headers: { 'Set-Cookie': themeCookie(form.get('theme')) },
	})
}
