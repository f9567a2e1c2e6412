import type { Latest } from '~/features/chat/client/transport.ts'
import { countUnread } from '~/features/notifications/notifications.server.ts'
import { answeringMember } from '~/platform/http/member-requests.server.ts'
import { listLatest } from '../inbox.server.ts'
import type { Route } from './+types/latest'

/** The ten latest conversations for the panel of the header, and the unread counts. Tabs without a socket poll it. */
export function loader({ context }: Route.LoaderArgs) {
	return answeringMember(context, async (viewer) => {
		const [latest, notifications] = await Promise.all([listLatest(viewer), countUnread(viewer)])
		return { ...latest, notifications, me: viewer.username } satisfies Latest
	})
}
