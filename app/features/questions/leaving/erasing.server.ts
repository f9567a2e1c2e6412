import { forgetSubject } from '~/features/notifications/notifications.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { erasePost, findDeletedPost, listDeletedBefore } from './leaving.queries.server.ts'
import { forgetTitle, inQuestion } from './leaving.server.ts'

/*
 * A deleted question or comment disappears from the forum at once. Its text is kept for some days, so that the deletion can be
 * undone or reviewed.
 */

/**
 * Erases the texts of posts that were deleted more than `days` ago, with their earlier versions. A post with replies keeps an empty
 * row without its author. Each post has its own transaction.
 * @returns how many were due, at most `limit` of each kind
 */
export async function eraseDeletedPosts(days: number, limit: number): Promise<number> {
	// Comments first, replies before what they answer, so that few rows are still needed.
	const comments = await listDeletedBefore('comment', days, limit)
	for (const { id, question_id } of comments) await inQuestion(question_id, (trx) => erase(trx, 'comment', id))
	if (comments.length === limit) return limit
	const questions = await listDeletedBefore('query', days, limit)
	for (const { id } of questions)
		await inQuestion(id, async (trx) => {
			if (await erase(trx, 'query', id)) await forgetSubject(trx, { type: 'query', id })
		})
	return Math.max(comments.length, questions.length)
}

/** Checks again under the lock: the post may have been restored. @returns whether it was erased */
async function erase(trx: Executor, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const post = await findDeletedPost(trx, kind, id)
	if (post && kind === 'query') await forgetTitle(trx, id)
	if (post) await erasePost(trx, kind, id, post.needed)
	return post !== undefined
}
