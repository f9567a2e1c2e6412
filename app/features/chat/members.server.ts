import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { isUsername } from './chat.schema.ts'
import type { Names } from './chat.view.ts'
import { type ConversationRow, findConversation } from './conversations.queries.server.ts'

/** What is said of a username that nobody else has. */
export const nobody = 'There is nobody here to write to.'

/** Who takes part. @throws NotAllowed for a visitor */
export function member(viewer: Viewer): SignedIn {
	if (!viewer) throw new NotAllowed('Log in first.')
	return viewer
}

/** How the viewer stands to somebody, with a conversation or without. @throws NotFound for nobody and for oneself */
export async function standingWith(viewer: SignedIn, username: unknown, executor?: Executor): Promise<ConversationRow> {
	const row = isUsername(username) ? await findConversation(viewer.id, username, executor) : undefined
	if (!row) throw new NotFound(nobody)
	return row
}

/** As {@link standingWith}, where there is a conversation. @throws NotFound */
export async function conversationWith(
	viewer: SignedIn,
	username: unknown,
	executor?: Executor,
): Promise<ConversationRow & { id: number }> {
	const row = await standingWith(viewer, username, executor)
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
