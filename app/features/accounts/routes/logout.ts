import { redirect } from 'react-router'
import { loginPath } from '~/lib/addresses.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, safeRedirect } from '~/platform/http/http.ts'
import { logOut } from '../accounts.server.ts'
import type { Route } from './+types/logout'

/** Logging out is a form, so that no foreign link or picture can do it. */
export function loader() {
	return redirect('/')
}

/** `redirectTo`: where the next login leads, for a member who has to log in again to continue. */
export async function action({ request }: Route.ActionArgs) {
	const to = safeRedirect((await readForm(request)).get('redirectTo'), '')
	const headers = await logOut(request)
	return redirectWithToast(to ? loginPath(to) : '/login', { type: 'plain', message: 'You are logged out.' }, headers)
}
