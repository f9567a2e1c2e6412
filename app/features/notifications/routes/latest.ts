import { viewerOf } from '~/lib/context.ts'
import { answering } from '~/platform/http/http.ts'
import { listNotifications } from '../notifications.server.ts'
import type { Route } from './+types/latest'

/** The newest ten, for the panel of the header. */
export function loader({ context }: Route.LoaderArgs) {
	return answering(() => listNotifications(viewerOf(context), { limit: 10 }))
}
