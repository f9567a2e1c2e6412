import { redirect } from 'react-router'
import { logOut } from '~/features/accounts/login.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, safeRedirect } from '~/platform/http/http.ts'
import type { Route } from './+types/logout'

/** Logging out takes a form, so that no foreign link or picture can do it. */
export function loader() {
	return redirect('/')
}

/** `redirectTo`: where the next login leads, for a member who has to log in again to continue. */
export async function action({ request }: Route.ActionArgs) {
	const to = safeRedirect((await readForm(request)).get('redirectTo'), '')
	const { headers, outlivedBy: elsewhere } = await logOut(request)
	const login = withParams('/login', { redirectTo: to, elsewhere: elsewhere ?? '' })
	return redirectWithToast(login, { type: 'plain', message: 'You are logged out.' }, headers)
}
