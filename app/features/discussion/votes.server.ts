import { eventQuestion } from '~/features/questions/questions.events.ts'
import { mayAccept, mayVote } from '~/features/questions/questions.policy.ts'
import type { QuestionMarks } from '~/features/questions/questions.queries.server.ts'
import { requireQuestion } from '~/features/questions/questions.server.ts'
import { readPostingFacts } from '~/features/questions/status/posting-rules.server.ts'
import { changeForum } from '~/features/questions/writing/change.server.ts'
import { lockComment, lockQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { type AskedView, NOBODY_ASKED } from '~/features/routing/routing.view.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NoSuch, NotAllowed, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import type { CommentView } from './comment.view.ts'
import { findComment } from './comments.queries.server.ts'
import { type Marks, readMarks, type Vote, type VoteTarget, writeSolution, writeVote } from './votes.queries.server.ts'

export type { Vote, VoteTarget }

type CommentTarget = VoteTarget & { commentId: number }

interface CastVote extends VoteTarget {
	/** The resulting vote, whatever it was before: sending it twice counts once. */
	vote: number
}

/**
 * Votes on a question or a comment, or withdraws the vote with 0.
 * @returns the present vote and score, and the address of the query
 * @throws NotAllowed for a visitor and for one's own texts, NotFound, Invalid for any number but 1, 0 and -1
 */
export async function castVote(
	viewer: Viewer,
	{ vote, ...target }: CastVote,
): Promise<{ vote: Vote; score: number; url: string }> {
	const voter = requireSignedIn(viewer)
	await countUse('toggles', voter)
	if (!isVote(vote)) throw new Invalid('A vote is 1, -1 or 0.')
	const { question, authorId } = await requireTarget(target)
	if (!mayVote(voter, { authorId })) throw new NotAllowed(ownPostMessage)
	return changeForum(async (trx) => {
		const { questionId, commentId } = target
		const event = { kind: 'vote-changed', actorId: voter.id, question, commentId, vote } as const
		// Begun together, so that one round trip is enough; the question is locked before the voter.
		const locking = commentId === null ? lockQuestion(trx, questionId) : lockComment(trx, commentId, questionId)
		const [locked, facts] = await Promise.all([locking, readPostingFacts(trx, event)])
		if (!locked) throw new NotFound(deletedMessage)
		// Its author may have become this member by a merge of accounts, for whose end the lock waited.
		if (!mayVote(voter, { authorId: locked.author_id })) throw new NotAllowed(ownPostMessage)
		const write = async () => ({ vote, score: await writeVote(trx, voter.id, target, vote), url: question.url })
		return { event, facts, write }
	})
}

/**
 * Accepts a comment as a solution of its question, which may have several. Sent again, it changes nothing.
 * @throws NotAllowed for all but the author of the question and moderators, NotFound also for a deleted comment
 */
export function chooseSolution(viewer: Viewer, target: CommentTarget) {
	return setSolution(viewer, target, true)
}

/** Undoes that. @throws as {@link chooseSolution} */
export function withdrawSolution(viewer: Viewer, target: CommentTarget) {
	return setSolution(viewer, target, false)
}

async function setSolution(viewer: Viewer, target: CommentTarget, chosen: boolean): Promise<{ url: string }> {
	const chooser = requireSignedIn(viewer)
	const { question } = await requireTarget(target)
	if (!mayAccept(chooser, { authorId: question.authorId }))
		throw new NotAllowed('Only the author of the query can mark a solution.')
	const result = { url: `${question.url}#comment-${target.commentId}` }
	return changeForum<{ url: string }>(async (trx) => {
		const { questionId, commentId } = target
		const kind = chosen ? 'solution-chosen' : 'solution-withdrawn'
		const event = { kind, actorId: chooser.id, question, commentId } as const
		// Begun together; the question is locked before the chooser.
		const [comment, facts] = await Promise.all([lockComment(trx, commentId, questionId), readPostingFacts(trx, event)])
		if (!comment) throw new NotFound(deletedMessage)
		if (comment.is_solution === chosen) return { done: result }
		return { event, facts, write: () => writeSolution(trx, target, chosen).then(() => result) }
	})
}

const noMarks: QuestionMarks = { vote: 0, bookmarked: false, following: false, affected: false, invited: false }

/** A question and its comments with the viewer's own state, and who was asked as far as they see it. One statement; none for a visitor. */
export async function withMarks(
	viewer: Viewer,
	questionId: number,
	comments: CommentView[],
): Promise<{ marks: QuestionMarks; asked: AskedView; comments: CommentView[] }> {
	if (!viewer) return { marks: noMarks, asked: NOBODY_ASKED, comments }
	const marks = await readMarks(viewer.id, questionId, idsOf(comments))
	const hasMarks = marks.votes.size + marks.bookmarked.size + marks.outdated.size > 0
	const { following, affected, invited } = marks
	return {
		marks: { vote: marks.votes.get(null) ?? 0, bookmarked: marks.bookmarked.has(null), following, affected, invited },
		asked: marks.asked,
		comments: hasMarks ? marked(comments, marks) : comments,
	}
}

const deletedMessage = 'It has been deleted.'
const ownPostMessage = 'You cannot vote on your own posts.'

function isVote(vote: number): vote is Vote {
	return vote === 1 || vote === -1 || vote === 0
}

/** The question and the author of a target, read before the lock. A comment's question never changes; an author does by a merge of accounts. */
async function requireTarget({ questionId, commentId }: VoteTarget) {
	const row = await requireQuestion(questionId)
	const question = eventQuestion(row)
	if (commentId === null) return { question, authorId: row.author_id }
	const comment = isId(commentId) ? await findComment(commentId) : undefined
	if (comment?.question_id !== questionId) throw new NoSuch('comment')
	return { question, authorId: comment.author_id }
}

function idsOf(comments: CommentView[]): number[] {
	return comments.flatMap(({ id, replies }) => [id, ...idsOf(replies)])
}

function marked(comments: CommentView[], marks: Marks): CommentView[] {
	return comments.map((comment) => ({
		...comment,
		vote: marks.votes.get(comment.id) ?? 0,
		bookmarked: marks.bookmarked.has(comment.id),
		saysOutdated: marks.outdated.has(comment.id),
		replies: marked(comment.replies, marks),
	}))
}
