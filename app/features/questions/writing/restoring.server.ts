import { mainTags } from '~/features/tags/synonyms.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { findDeletedComment, findDeletedQuery, lockDeletedQuery } from '../discussion/discussion.queries.server.ts'
import { mayRestore, undoTime } from '../questions.policy.ts'
import { change, eventQuery } from './change.server.ts'
import { existing, writer } from './writers.server.ts'
import { lockQuery, putBackComment, returnQuery } from './writing.queries.server.ts'

/**
 * Takes the deletion of a question back.
 * @throws NotFound when none was deleted, NotAllowed later than ten minutes after it, Conflict when it was just taken back
 */
export async function restoreQuestion(viewer: Viewer, id: number): Promise<{ url: string }> {
	const actor = writer(viewer)
	const found = isId(id) ? await findDeletedQuery(id, undoTime) : undefined
	if (!found) throw new NotFound('There is no deleted query to restore.')
	if (!mayRestore(actor, { deletedBy: found.deleted_by, recent: found.recent })) throw new NotAllowed(tooLate)
	return change(async (trx) => {
		const locked = await lockDeletedQuery(trx, id)
		if (!locked) throw new Conflict('This query has already been restored.')
		const tags = await mainTags(trx, found.tags)
		await returnQuery(trx, id, tags)
		const query = eventQuery({ ...found, tags })
		return { event: { kind: 'query-restored', actorId: actor.id, query }, result: { url: query.url } }
	})
}

/** Takes the deletion of a comment back. @throws as {@link restoreQuestion} */
export async function restoreComment(viewer: Viewer, id: number): Promise<{ url: string }> {
	const actor = writer(viewer)
	const found = isId(id) ? await findDeletedComment(id, undoTime) : undefined
	if (!found) throw new NotFound('There is no deleted comment to restore.')
	if (!mayRestore(actor, { deletedBy: found.deleted_by, recent: found.recent })) throw new NotAllowed(tooLate)
	const query = eventQuery(await existing(found.query_id))
	return change(async (trx) => {
		if (!(await lockQuery(trx, found.query_id)) || !(await putBackComment(trx, id, found.query_id)))
			throw new Conflict('This comment has already been restored.')
		return {
			event: { kind: 'comment-restored', actorId: actor.id, query, commentId: id },
			result: { url: `${query.url}#comment-${id}` },
		}
	})
}

const tooLate = 'Only the member who deleted it can undo this, within ten minutes.'
