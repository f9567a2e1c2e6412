import { redirect } from 'react-router'
import { readForm } from '~/platform/http/form.server.ts'
import { refererPath, safeRedirect } from '~/platform/http/http.ts'
import { closedAnnouncementCookie } from '../announcement.server.ts'
import type { Route } from './+types/announcement'

export function loader() {
	return redirect('/')
}

/** Closes the announcement with this `id` in this browser. */
export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	const cookie = closedAnnouncementCookie(form.get('id'))
	return redirect(safeRedirect(form.get('redirectTo'), refererPath(request, '/')), {
		status: 303,
		...(cookie && { headers: { 'Set-Cookie': cookie } }),
	})
}
