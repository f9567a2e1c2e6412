import { redirect } from 'react-router'
import { answering, signedIn } from '~/platform/http/http.ts'
import { readNotifications } from '../notifications.server.ts'
import type { Route } from './+types/read-all'

/** Marks everything as read, and stays on the reader's page; sent by the panel of the header. */
export function action({ context, url }: Route.ActionArgs) {
	return answering(async () => ({ unread: await readNotifications(signedIn(context, url), {}) }))
}

export function loader() {
	return redirect('/notifications')
}
