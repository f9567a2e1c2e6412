import { isUsername } from '~/features/chat/chat.schema.ts'
import type { Names } from '~/features/chat/chat.view.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { type ConversationRow, findConversation } from './conversations.queries.server.ts'

/** What is said of a username that nobody else has. */
export const NO_SUCH_MEMBER = 'There is nobody here to write to.'

/** Who takes part. @throws NotAllowed for a visitor */
export function requireMember(viewer: Viewer): SignedIn {
	if (!viewer) throw new NotAllowed('Log in first.')
	return viewer
}

/** How the viewer stands to somebody, with a conversation or without. @throws NotFound for nobody and for oneself */
export async function relationWith(viewer: SignedIn, username: unknown, executor?: Executor): Promise<ConversationRow> {
	const row = isUsername(username) ? await findConversation(viewer.id, username, executor) : undefined
	if (!row) throw new NotFound(NO_SUCH_MEMBER)
	return row
}

/** As {@link relationWith}, where there is a conversation. @throws NotFound */
export async function requireConversation(
	viewer: SignedIn,
	username: unknown,
	executor?: Executor,
): Promise<ConversationRow & { id: number }> {
	const row = await relationWith(viewer, username, executor)
	const { id } = row
	if (id === null) throw new NotFound('There is no conversation yet.')
	return { ...row, id }
}

/** The usernames of both members. */
export function namesOf(viewer: SignedIn, peer: ConversationRow): Names {
	return new Map([
		[viewer.id, viewer.username],
		[peer.peer_id, peer.username],
	])
}
