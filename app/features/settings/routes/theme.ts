import { data, redirect } from 'react-router'
import { themeCookie } from '~/platform/http/cookies.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { isBackgroundRequest, refererPath, safeRedirect } from '~/platform/http/http.ts'
import type { Route } from './+types/theme'

export function loader() {
	return redirect('/')
}

/** Stores the theme in a cookie, so that the server renders the next page with it. */
export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	const headers = { 'Set-Cookie': themeCookie(form.get('theme')) }
	// A redirect would end what the page is loading, and add the page to the history once more.
	if (isBackgroundRequest(request)) return data(null, { headers })
	return redirect(safeRedirect(form.get('redirectTo'), refererPath(request, '/')), { status: 303, headers })
}
