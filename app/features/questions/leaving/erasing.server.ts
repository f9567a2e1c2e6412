import { forgetSubject } from '~/features/notifications/notifications.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { erasePost, findDeletedPost, listDeletedBefore } from './leaving.queries.server.ts'
import { forgetTitle, inQuestion } from './leaving.server.ts'

/* A deleted question or comment is out of the forum at once. Its text stays for some days, so that the deletion can be undone or judged. */

/**
 * Erases the texts of posts that were deleted more than `days` ago, with their earlier versions. The row of one that others stand below
 * stays, without a word and without its author. Each post is a transaction of its own.
 * @returns how many were due, at most `limit` of each kind
 */
export async function eraseDeletedPosts(days: number, limit: number): Promise<number> {
	// Comments go first, the newest before what they answer: so that as few rows as possible are needed by others.
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

/** Looks again now that nobody else changes it: it may have been restored. @returns whether it was erased */
async function erase(trx: Executor, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const post = await findDeletedPost(trx, kind, id)
	if (post && kind === 'query') await forgetTitle(trx, id)
	if (post) await erasePost(trx, kind, id, post.needed)
	return post !== undefined
}
