import { listLatest } from '../inbox.server.ts'
import type { Route } from './+types/latest'
import { answeringMember } from './who.server.ts'

/** The newest ten conversations and in how many something is unread, for the panel of the header. */
export function loader({ context }: Route.LoaderArgs) {
	return answeringMember(context, listLatest)
}
