import { redirect } from 'react-router'
import { refererPath, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { readNotifications } from '../notifications.server.ts'
import type { Route } from './+types/read-all'

/** Marks everything as read, and stays on the reader's page; sent by the panel of the header. */
export function action({ request, context, url }: Route.ActionArgs) {
	const page = new URL(refererPath(request, '/notifications'), url)
	return withHttpErrors(async () => ({ unread: await readNotifications(requireLogin(context, page), {}) }))
}

export function loader() {
	return redirect('/notifications')
}
