import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { unmuteQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { presentCard } from '~/features/questions/question.view.ts'
import { questionTag } from '~/features/questions/questions.events.ts'
import { mayVote } from '~/features/questions/questions.policy.ts'
import { findNamedQuestion } from '~/features/questions/questions.queries.server.ts'
import { lockQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NoSuch, NotAllowed } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { invalidatePages } from '~/platform/cache/pages.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import { decodeTimeCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { FOLLOWED_PER_PAGE, MAX_FOLLOWED_QUESTIONS } from './following.limits.ts'
import {
	countFollowedQuestions,
	listFollowedQuestionRows,
	writeAffected,
	writeQuestionFollow,
} from './following.queries.server.ts'
import type { FollowedQuestionView } from './following.view.ts'

/* Following questions, and “I have this too”. */

/**
 * Follows or unfollows a question. Followers are notified of new comments, even if they had muted the question. Idempotent.
 * @returns the path of the question
 * @throws NotAllowed for a visitor, for its author, and for a suspended member who starts following; NotFound, Invalid if the member
 * follows too many, TooManyRequests
 */
export async function followQuestion(viewer: Viewer, questionId: number, following: boolean): Promise<{ url: string }> {
	const { member, question } = await requireOthers(viewer, questionId, following)
	await withLocks(member, questionId, following, (trx) =>
		following ? follow(trx, member.id, questionId) : writeQuestionFollow(trx, member.id, questionId, false),
	)
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
	const count = await withLocks(member, questionId, affected, async (trx) => {
		const following = affected && follow(trx, member.id, questionId)
		const counting = writeAffected(trx, member.id, questionId, affected)
		const [count] = await Promise.all([counting, following])
		return count
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
	const member = requireSignedIn(viewer)
	const found = await listFollowedQuestionRows(member.id, {
		cursor: cursor ? decodeTimeCursor(cursor) : null,
		limit: FOLLOWED_PER_PAGE + 1,
	})
	const { rows, next } = pageOf(found, FOLLOWED_PER_PAGE, ({ followed_at, id }) => [followed_at, id])
	return { rows: rows.map((row) => ({ ...presentCard(member, row), activeAt: row.active_at })), next }
}

/** The question, which must be somebody else's. @param begins whether this is a new action, which suspended members may not take */
async function requireOthers(viewer: Viewer, questionId: number, begins: boolean) {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const question = isId(questionId) ? await findNamedQuestion(questionId) : undefined
	if (!question) throw new NoSuch('query')
	if (begins) requireOthersQuestion(member, question.author_id)
	return { member, question }
}

/** @throws NotAllowed for the author of the question */
function requireOthersQuestion(member: SignedIn, authorId: number): void {
	if (!mayVote(member, { authorId })) throw new NotAllowed('You are notified of comments on your own queries anyway.')
}

/**
 * Writes in a transaction of two round trips: the first one locks the question, and then the member, as all writers do; the second one is
 * that of COMMIT.
 * @param begins whether the member follows the question from now on; its asker may have become this member by a merge of accounts
 * @param write issues all its statements before its first await
 */
function withLocks<Result>(
	member: SignedIn,
	questionId: number,
	begins: boolean,
	write: (trx: Executor) => Promise<Result>,
): Promise<Result> {
	return pipelinedTransaction(async (trx, last) => {
		const [question, , , followed] = await Promise.all([
			lockQuestion(trx, questionId),
			lockMember(trx, member.id),
			begins && requireMayWrite(member.id, trx),
			begins ? countFollowedQuestions(trx, member.id, questionId) : 0,
		])
		if (!question) throw new NoSuch('query')
		if (begins) requireOthersQuestion(member, question.author_id)
		if (followed >= MAX_FOLLOWED_QUESTIONS)
			throw new Invalid(
				`You already follow ${MAX_FOLLOWED_QUESTIONS.toLocaleString('en')} queries. Unfollow one first.`,
			)
		return last(write(trx))
	})
}

/** Follows a question, even if the member had muted it. */
async function follow(trx: Executor, userId: number, questionId: number): Promise<void> {
	await Promise.all([unmuteQuestion(trx, userId, questionId), writeQuestionFollow(trx, userId, questionId, true)])
}
