import type { LatestCounts, Rename } from '~/features/chat/client/transport.ts'
import { currentUsername } from '~/features/identity/usernames/former-names.server.ts'
import { countUnread } from '~/features/notifications/notifications.server.ts'
import { respondToMember } from '~/platform/http/http.ts'
import { listLatestConversations } from '../inbox.server.ts'
import type { Route } from './+types/latest'

/** Usernames of one question about renames. */
const MAX_NAMES = 100

/**
 * The ten latest conversations for the panel of the header, and the unread counts. Tabs without a socket poll it. With `?names=`, usernames
 * separated by commas, only those of them that are former ones, with the present ones.
 */
export function loader({ context, url: { searchParams } }: Route.LoaderArgs) {
	return respondToMember(context, async (viewer): Promise<object> => {
		const names = searchParams.get('names')
		if (names !== null) return listRenames(names.split(',').slice(0, MAX_NAMES))
		const [latest, notifications] = await Promise.all([listLatestConversations(viewer), countUnread(viewer)])
		return { ...latest, notifications, me: viewer.username } satisfies LatestCounts
	})
}

async function listRenames(usernames: string[]): Promise<Rename[]> {
	const all = await Promise.all(usernames.map(async (from) => ({ from, to: await currentUsername(from) })))
	return all.filter(({ from, to }) => from !== to)
}
