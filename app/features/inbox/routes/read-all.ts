import { redirect } from 'react-router'
import { answering, signedIn } from '~/platform/http/http.ts'
import { markAllSeen } from '../inbox.server.ts'
import type { Route } from './+types/read-all'

/** Marks everything as read and stays where the reader is; the panel of the header sends this. */
export function action({ context, url }: Route.ActionArgs) {
	return answering(async () => {
		await markAllSeen(signedIn(context, url))
		return null
	})
}

export function loader() {
	return redirect('/messages')
}
