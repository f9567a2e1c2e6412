import { numberParam, respondToMember } from '~/platform/http/http.ts'
import { listChangesSince, listMessagesAt, listOlderMessages, openConversation } from '../messages/reading.server.ts'
import type { Route } from './+types/history'

/**
 * A conversation for scripts: `?before=ID` for the page before a message, `?after=ID` for the one after it, `?since=VERSION` for
 * all later changes, and without parameters the conversation as it is opened.
 */
export function loader({ params: { username }, context, url: { searchParams } }: Route.LoaderArgs) {
	return respondToMember(context, (viewer) => {
		const [before, after, since] = ['before', 'after', 'since'].map((name) => numberParam(searchParams, name))
		if (before != null) return listOlderMessages(viewer, username, before)
		if (after != null) return listMessagesAt(viewer, username, { after })
		if (since != null) return listChangesSince(viewer, username, since)
		return openConversation(viewer, username)
	})
}
