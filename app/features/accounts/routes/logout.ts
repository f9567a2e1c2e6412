import { redirect } from 'react-router'
import { redirectWithToast } from '~/platform/http/http.ts'
import { logOut } from '../accounts.server.ts'
import type { Route } from './+types/logout'

/** Logging out is a form, so that no foreign link or picture can do it. */
export function loader() {
	return redirect('/')
}

export async function action({ request }: Route.ActionArgs) {
	return redirectWithToast('/login', { type: 'plain', message: 'You are logged out.' }, await logOut(request))
}
