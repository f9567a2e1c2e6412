import { redirect } from 'react-router'
import { readForm } from '~/platform/http/form.server.ts'
import { stayOnPage } from '~/platform/http/http.ts'
import { closedAnnouncementCookie } from '../announcement.server.ts'
import type { Route } from './+types/announcement'

export function loader() {
	return redirect('/')
}

/** Closes the announcement with this `id` in this browser. */
export async function action({ request }: Route.ActionArgs) {
	const form = await readForm(request)
	const cookie = closedAnnouncementCookie(form.get('id'))
	return stayOnPage(request, form, cookie ? { 'Set-Cookie': cookie } : {})
}
