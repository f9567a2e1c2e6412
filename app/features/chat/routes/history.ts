import { answeringMember, numberIn } from '~/platform/http/member-requests.server.ts'
import { listMessagesAt, listOlder, listSince, openConversation } from '../messages/reading.server.ts'
import type { Route } from './+types/history'

/**
 * A conversation for scripts: `?before=ID` for the page before a message, `?after=ID` for the one after it, `?since=VERSION` for
 * all later changes, and without parameters the conversation as it is opened.
 */
export function loader({ params: { username }, context, url: { searchParams } }: Route.LoaderArgs) {
	return answeringMember(context, (viewer) => {
		const [before, after, since] = ['before', 'after', 'since'].map((name) => numberIn(searchParams, name))
		if (before != null) return listOlder(viewer, username, before)
		if (after != null) return listMessagesAt(viewer, username, { after })
		if (since != null) return listSince(viewer, username, since)
		return openConversation(viewer, username)
	})
}
