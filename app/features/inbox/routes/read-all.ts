import { redirect } from 'react-router'
import { answering, signedIn } from '~/platform/http/http.ts'
import { markAllSeen } from '../inbox.server.ts'
import type { Route } from './+types/read-all'

/** Marks everything as read, and returns to the page that the panel was opened on. */
export function action({ context, url }: Route.ActionArgs) {
	return answering(async () => {
		await markAllSeen(signedIn(context, url))
		return null
	})
}

export function loader() {
	return redirect('/messages')
}
