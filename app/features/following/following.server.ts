import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { unmuteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { type Page, presentCard } from '~/features/questions/question.view.ts'
import { mayVote } from '~/features/questions/questions.policy.ts'
import { findQuestion } from '~/features/questions/questions.queries.server.ts'
import { questionTag } from '~/features/questions/writing/change.server.ts'
import { lockQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { decodeTimeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { FOLLOWED_PER_PAGE, MAX_FOLLOWED_QUESTIONS } from './following.limits.ts'
import {
	countFollowedQuestions,
	listFollowedQuestionRows,
	writeAffected,
	writeQuestionFollow,
} from './following.queries.server.ts'
import type { FollowedQuestionView } from './following.view.ts'

/* Following questions, and “I have this too”. */

const noQuestion = 'There is no such query. It may have been deleted.'

/**
 * Follows or unfollows a question. Followers are notified of new comments, even if they had muted the question. Idempotent.
 * @returns the path of the question
 * @throws NotAllowed for a visitor, for its author, and for a suspended member who starts following; NotFound, Invalid if the member
 * follows too many, TooManyRequests
 */
export async function followQuestion(viewer: Viewer, questionId: number, following: boolean): Promise<{ url: string }> {
	const { member, question } = await requireOthers(viewer, questionId, following)
	await withQuestionLock(questionId, async (trx, authorId) => {
		if (following) requireOthersQuestion(member, authorId)
		await follow(trx, member, questionId, following)
	})
	return { url: questionUrl(question) }
}

/**
 * Records that the viewer has the same problem, and follows the question; or undoes the former only. This is not a vote, and changes no
 * order of lists.
 * @returns how many members have the problem, and the path of the question
 * @throws as {@link followQuestion}
 */
export async function setAffected(
	viewer: Viewer,
	questionId: number,
	affected: boolean,
): Promise<{ count: number; url: string }> {
	const { member, question } = await requireOthers(viewer, questionId, affected)
	const count = await withQuestionLock(questionId, async (trx, authorId) => {
		if (affected) {
			requireOthersQuestion(member, authorId)
			await follow(trx, member, questionId, true)
		}
		return writeAffected(trx, member.id, questionId, affected)
	})
	await invalidatePages([questionTag(questionId)])
	return { count, url: questionUrl(question) }
}

/**
 * A page of the questions that the viewer follows, last followed first, without those that are gone.
 * @throws NotAllowed for a visitor, Invalid for an invalid cursor
 */
export async function listFollowedQuestions(
	viewer: Viewer,
	cursor: string | null = null,
): Promise<Page<FollowedQuestionView>> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const rows = await listFollowedQuestionRows(viewer.id, {
		cursor: cursor ? decodeTimeCursor(cursor) : null,
		limit: FOLLOWED_PER_PAGE + 1,
	})
	const shown = rows.slice(0, FOLLOWED_PER_PAGE)
	const last = shown.at(-1)
	return {
		rows: shown.map((row) => ({ ...presentCard(viewer, row), activeAt: row.active_at })),
		next: rows.length > FOLLOWED_PER_PAGE && last ? encodeCursor([last.followed_at, last.id]) : null,
	}
}

/** The question, which must be somebody else's. @param begins whether this is a new action, which suspended members may not take */
async function requireOthers(viewer: Viewer, questionId: number, begins: boolean) {
	if (!viewer) throw new NotAllowed('Log in first.')
	await countUse('toggles', viewer)
	if (begins) await requireMayWrite(viewer.id)
	const question = isId(questionId) ? await findQuestion(questionId) : undefined
	if (!question) throw new NotFound(noQuestion)
	if (begins) requireOthersQuestion(viewer, question.author_id)
	return { member: viewer, question }
}

/** @throws NotAllowed for the author of the question */
function requireOthersQuestion(member: SignedIn, authorId: number): void {
	if (!mayVote(member, { authorId })) throw new NotAllowed('You are notified of comments on your own queries anyway.')
}

/**
 * Runs work in a transaction that locks the question first: writers lock questions before members.
 * @param work gets the account that asked it, which may have become the member's own by a merge of accounts since it was read
 */
function withQuestionLock<Result>(
	questionId: number,
	work: (trx: Executor, authorId: number) => Promise<Result>,
): Promise<Result> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const question = await lockQuestion(trx, questionId)
			if (!question) throw new NotFound(noQuestion)
			return work(trx, question.author_id)
		})
}

/** Locks the member's row, so that concurrent requests cannot exceed the limit. */
async function follow(trx: Executor, { id }: SignedIn, questionId: number, following: boolean): Promise<void> {
	await lockMember(trx, id)
	if (following) {
		if ((await countFollowedQuestions(trx, id, questionId)) >= MAX_FOLLOWED_QUESTIONS)
			throw new Invalid(
				`You already follow ${MAX_FOLLOWED_QUESTIONS.toLocaleString('en')} queries. Unfollow one first.`,
			)
		await unmuteQuestion(trx, id, questionId)
	}
	await writeQuestionFollow(trx, id, questionId, following)
}
