import { redirect } from 'react-router'
import { refererPath, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { markAllSeen } from '../inbox.server.ts'
import type { Route } from './+types/read-all'

/** Marks everything as read, and returns to the page that the panel was opened on. */
export function action({ request, context, url }: Route.ActionArgs) {
	const page = new URL(refererPath(request, '/messages'), url)
	return withHttpErrors(async () => {
		await markAllSeen(requireLogin(context, page))
		return null
	})
}

export function loader() {
	return redirect('/messages')
}
