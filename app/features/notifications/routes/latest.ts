import { respondToMember } from '~/platform/http/http.ts'
import { listNotifications } from '../notifications.server.ts'
import type { Route } from './+types/latest'

/** The newest ten, for the panel of the header; a page with the panel stays unchanged if the request is refused. */
export function loader({ context }: Route.LoaderArgs) {
	return respondToMember(context, (viewer) => listNotifications(viewer, { limit: 10 }))
}
