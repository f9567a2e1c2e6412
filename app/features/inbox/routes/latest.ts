import type { LatestCounts } from '~/features/chat/client/transport.ts'
import { countUnread } from '~/features/notifications/notifications.server.ts'
import { respondToMember } from '~/platform/http/http.ts'
import { listLatestConversations } from '../inbox.server.ts'
import type { Route } from './+types/latest'

/** The ten latest conversations for the panel of the header, and the unread counts. Tabs without a socket poll it. */
export function loader({ context }: Route.LoaderArgs) {
	return respondToMember(context, async (viewer) => {
		const [latest, notifications] = await Promise.all([listLatestConversations(viewer), countUnread(viewer)])
		return { ...latest, notifications, me: viewer.username } satisfies LatestCounts
	})
}
