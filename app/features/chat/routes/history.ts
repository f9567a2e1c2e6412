import { listOlder, listSince, openConversation } from '../reading.server.ts'
import type { Route } from './+types/history'
import { answeringMember, numberIn } from './who.server.ts'

/**
 * A conversation for scripts: `?before=ID` the page before a message, `?since=VERSION` everything that changed after it,
 * and without either the whole as it is opened.
 */
export function loader({ params: { username }, context, url: { searchParams } }: Route.LoaderArgs) {
	return answeringMember(context, (viewer) => {
		const [before, since] = [numberIn(searchParams, 'before'), numberIn(searchParams, 'since')]
		if (before !== null) return listOlder(viewer, username, before)
		if (since !== null) return listSince(viewer, username, since)
		return openConversation(viewer, username)
	})
}
