import { findChangeableQuery } from '~/features/forum/moderation/waiting.queries.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isId } from '~/lib/ids.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { limits } from '../questions.limits.ts'
import { mayWrite } from '../questions.policy.ts'
import { findQuery, type QueryPageRow } from '../questions.queries.server.ts'
import { countRevisions } from './revisions.queries.server.ts'

export const noQuery = 'There is no such query. It may have been deleted.'

/** The viewer as somebody who writes. @throws NotAllowed */
export function writer(viewer: Viewer): SignedIn {
	if (!viewer || !mayWrite(viewer)) throw new NotAllowed('Log in first.')
	return viewer
}

/** The query, which stands. @throws NotFound */
export async function existing(id: number): Promise<QueryPageRow> {
	const query = isId(id) ? await findQuery(id) : undefined
	if (!query) throw new NotFound(noQuery)
	return query
}

/** The query that a member wants to change: one that stands, or their own that waits for a moderator. @throws NotFound */
export async function changeable(member: SignedIn, id: number): Promise<QueryPageRow & { waits: boolean }> {
	const query = isId(id) ? await findChangeableQuery(id, member.id) : undefined
	if (!query) throw new NotFound(noQuery)
	return query
}

/**
 * Refuses an edit of a text that was edited too often already. Moderators may always edit, or nobody could mend the text.
 * @param of the text, which the caller holds
 * @throws Invalid
 */
export async function requireRoomForEdit(
	trx: Executor,
	editor: SignedIn,
	of: { queryId: number } | { commentId: number },
): Promise<void> {
	if (isModerator(editor) || (await countRevisions(trx, of)) < limits.editsMax) return
	throw new Invalid(`This text was edited ${limits.editsMax} times already. Write a new one instead.`)
}

export const tooLate = 'A deletion can be taken back by who made it, within ten minutes.'
