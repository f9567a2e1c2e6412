import { redirect } from 'react-router'
import { themeCookie } from '~/platform/http/cookies.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { stayOnPage } from '~/platform/http/http.ts'
import type { Route } from './+types/theme'

export function loader() {
	return redirect('/')
}

/** Stores the theme in a cookie, so that the server renders the next page with it. */
export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	return stayOnPage(request, form, { 'Set-Cookie': themeCookie(form.get('theme')) })
}
