import { keepSolutionWeights, skipEvidenceRefresh } from '~/features/evidence/evidence.queries.server.ts'
import { closeCase } from '~/features/moderation/cases.queries.server.ts'
import { clearLoggedTitles } from '~/features/moderation/leaving.queries.server.ts'
import { announceUnread, forgetSubject } from '~/features/notifications/notifications.server.ts'
import { invalidatePages, LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Leaver } from '~/platform/member-data.ts'
import { forgetComments } from '../notifying/notifying.server.ts'
import { questionTag } from '../questions.events.ts'
import { lockAnyQuestion } from '../status/status.queries.server.ts'
import { removeComment, removeQuestion } from '../writing/writing.queries.server.ts'
import {
	erasePost,
	findDeletedPost,
	findLeaverComment,
	findLeaverQuestion,
	listCommentIds,
	listCommentsOf,
	listDeletedBefore,
	listQuestionsOf,
	markWithoutPage,
	transferDeletions,
	transferPost,
} from './leaving.queries.server.ts'

/* What happens to the posts of a member who leaves. Each post has its own transaction, so a job can stop anywhere. */

/** Posts of one batch. */
const AT_ONCE = 100

/** Comments before questions, so that a question with comments of its author only counts as unanswered. */
export async function leavePosts(leaver: Leaver): Promise<boolean> {
	if ((await transferDeletions(leaver.accounts, AT_ONCE)) === AT_ONCE) return true
	await markWithoutPage(leaver.accounts)
	await keepSolutionWeights(leaver.accounts)
	const comments = await listCommentsOf(leaver.accounts, AT_ONCE)
	for (const { id, question_id } of comments)
		await inQuestion(question_id, (trx) => leaveComment(trx, leaver, id, question_id))
	if (comments.length === AT_ONCE) return true
	const questions = await listQuestionsOf(leaver.accounts, AT_ONCE)
	for (const id of questions) await inQuestion(id, (trx) => leaveQuestion(trx, leaver, id))
	return questions.length === AT_ONCE
}

/**
 * Locks a question, as every writer of it and of its comments does, and invalidates its pages.
 * @param work returns whose notifications changed
 */
async function inQuestion(id: number, work: (trx: Executor) => Promise<number[]>): Promise<void> {
	const notified = await db()
		.transaction()
		.execute(async (trx) => {
			await lockAnyQuestion(trx, id)
			return work(trx)
		})
	await invalidatePages([LIST_PAGES, questionTag(id)])
	await announceUnread(notified)
}

async function leaveComment(trx: Executor, leaver: Leaver, id: number, questionId: number): Promise<number[]> {
	const post = await findLeaverComment(trx, id, leaver.accounts)
	if (!post) return []
	await skipEvidenceRefresh(trx, leaver.accounts)
	const isPublished = post.status === 'published'
	if (isPublished && (leaver.keepsTexts || post.built_on)) {
		await transferPost(trx, 'comment', id, leaver.keepsTexts)
		return []
	}
	if (isPublished) await removeComment(trx, id, questionId, { status: 'deleted', by: null })
	// Without a text there is nothing left to decide.
	await closeCase(trx, 'comment', id)
	await erasePost(trx, 'comment', id, post.needed)
	return isPublished ? forgetComments(trx, [{ id, question_id: questionId }]) : []
}

async function leaveQuestion(trx: Executor, leaver: Leaver, id: number): Promise<number[]> {
	const post = await findLeaverQuestion(trx, id, leaver.accounts)
	if (!post) return []
	const isPublished = post.status === 'published'
	// Everybody still reads a merged one, with its comments.
	if ((isPublished || post.status === 'merged') && (leaver.keepsTexts || post.built_on)) {
		await transferPost(trx, 'query', id, leaver.keepsTexts)
		return []
	}
	if (isPublished) await removeQuestion(trx, id, post, { status: 'deleted', by: null })
	await closeCase(trx, 'query', id)
	await forgetTitle(trx, id)
	await erasePost(trx, 'query', id, post.needed)
	return forgetSubject(trx, { type: 'query', id })
}

/** Removes a question's title, which is about to be erased, from the moderation log. */
async function forgetTitle(trx: Executor, questionId: number): Promise<void> {
	await clearLoggedTitles(trx, 'query', [questionId])
	await clearLoggedTitles(trx, 'comment', await listCommentIds(trx, questionId))
}

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
	for (const { id, question_id } of comments)
		await inQuestion(question_id, async (trx) => {
			await erase(trx, 'comment', id)
			return []
		})
	if (comments.length === limit) return limit
	const questions = await listDeletedBefore('query', days, limit)
	for (const { id } of questions)
		await inQuestion(id, async (trx) =>
			(await erase(trx, 'query', id)) ? forgetSubject(trx, { type: 'query', id }) : [],
		)
	return Math.max(comments.length, questions.length)
}

/** Checks again under the lock: the post may have been restored. @returns whether it was erased */
async function erase(trx: Executor, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const post = await findDeletedPost(trx, kind, id)
	if (post && kind === 'query') await forgetTitle(trx, id)
	if (post) await erasePost(trx, kind, id, post.needed)
	return post !== undefined
}
