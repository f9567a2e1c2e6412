import { requireNotSuspended } from '~/features/accounts/security/suspension.server.ts'
import { isBlockedByAny } from '~/features/members/blocks.queries.server.ts'
import { openPendingCase } from '~/features/moderation/cases.queries.server.ts'
import { queueModeratorNotification } from '~/features/moderation/handling/handling.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import type { AccountStatusRow } from '~/features/moderation/members.queries.server.ts'
import { postingLimits } from '~/features/moderation/moderation.limits.ts'
import {
	hasExternalLinks,
	isOnProbation,
	lockAuthor,
	requirePostingAllowance,
} from '~/features/moderation/posting.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { ForumEvent, NewComment } from '../questions.events.ts'
import { findAuthors, secondsOverLimits } from './status.queries.server.ts'

/** What the posting rules ask about a change. */
export interface PostingFacts {
	actor: AccountStatusRow
	isOwnDeletion: boolean
	refusalByBlock: string | null
	/** As of {@link secondsOverLimits}. */
	secondsOver: (number | null)[]
}

/**
 * Reads what {@link applyPostingRules} asks, and locks the actor. Its statements are pipelined into one round trip;
 * the actor is locked before posts are counted.
 * @throws NotAllowed when the actor's account is gone
 */
export async function readPostingFacts(trx: Executor, event: ForumEvent | NewComment): Promise<PostingFacts> {
	const kind = added[event.kind]
	const [actor, isOwnDeletion, refusalByBlock, secondsOver] = await Promise.all([
		lockAuthor(trx, event.actorId),
		deletesOwn(trx, event),
		findRefusalByBlock(trx, event),
		kind ? listSecondsOver(trx, kind, event.actorId) : [],
	])
	return { actor, isOwnDeletion, refusalByBlock, secondsOver }
}

/**
 * Checks the posting rules for a change of the forum, from any source. They are checked before the change, with the question
 * locked, so that nothing refused is stored. Suspended members may only delete their own posts; nobody comments on a locked
 * question or writes to somebody who blocks them; newcomers have hourly limits; their first post with a link becomes pending;
 * changes by moderators to others' texts are logged.
 * @param written.html the rendered text to be written; '' for none
 * @param written.isLocked whether the question is closed for comments; undefined counts as closed where a comment is added
 * @param written.facts what {@link readPostingFacts} read after the question was locked; read here by default
 * @returns the status of the text
 * @throws NotAllowed, TooManyRequests
 */
export async function applyPostingRules(
	trx: Executor,
	event: ForumEvent,
	{ html = '', isLocked, facts }: { html?: string; isLocked?: boolean; facts?: PostingFacts },
): Promise<'published' | 'pending'> {
	const kind = added[event.kind]
	const { actor, isOwnDeletion, refusalByBlock, secondsOver } = facts ?? (await readPostingFacts(trx, event))
	if (!isOwnDeletion) requireNotSuspended(actor)
	if (refusalByBlock) throw new NotAllowed(refusalByBlock)
	if (kind === 'comments' && isLocked !== false) throw new NotAllowed(lockedMessage)
	if (kind) requirePostingAllowance(actor, kind, secondsOver)
	await logModeratorChange(trx, event, actor)
	return (await mustWait(trx, event, actor, html)) ? 'pending' : 'published'
}

/** The error for a comment on a question that a moderator locked. */
export const lockedMessage = 'This query is locked. Nobody can comment on it now.'

/** The events that add a post, with the name of their limit. */
const added: Partial<Record<ForumEvent['kind'], 'questions' | 'comments'>> = {
	'question-added': 'questions',
	'comment-added': 'comments',
}

function listSecondsOver(trx: Executor, kind: 'questions' | 'comments', authorId: number): Promise<(number | null)[]> {
	const limits = postingLimits.map((limit) => limit[kind])
	return secondsOverLimits(trx, kind === 'questions' ? 'query' : 'comment', authorId, limits)
}

async function deletesOwn(trx: Executor, event: ForumEvent | NewComment): Promise<boolean> {
	if (event.kind === 'question-deleted') return event.question.authorId === event.actorId
	if (event.kind !== 'comment-deleted') return false
	return (await findAuthors(trx, event.commentId))?.member_id === event.actorId
}

/**
 * Blocks apply to votes on texts of whoever blocks the voter, to comments on their questions and to replies to their comments.
 * Moderators changing others' texts are exempt. Pseudonyms cannot be blocked, and the member behind one is not checked: a refusal
 * would reveal who that is.
 */
async function findRefusalByBlock(trx: Executor, event: ForumEvent | NewComment): Promise<string | null> {
	const { actorId, question } = event
	const isBlocked = (ownerIds: number[]) => isBlockedByAny(trx, ownerIds, actorId)
	const asker = question.pseudonymId ?? question.authorId
	if (event.kind === 'vote-changed') {
		if (event.vote === 0) return null
		const comment = event.commentId === null ? undefined : await findAuthors(trx, event.commentId)
		return (await isBlocked([comment?.author_id ?? asker])) ? 'You cannot vote here.' : null
	}
	if (!writesComment(event)) return null
	const comment = await authorsOf(trx, event)
	if (comment?.member_id !== actorId) return null
	return (await isBlocked([asker, comment.parent_author_id ?? 0])) ? 'You cannot comment here.' : null
}

/** For a new comment, the author of its parent is looked up. */
async function authorsOf(trx: Executor, event: CommentWritten) {
	if (event.kind !== 'comment-added') return findAuthors(trx, event.commentId)
	const parent = event.parentId === null ? undefined : await findAuthors(trx, event.parentId)
	return { member_id: event.actorId, parent_author_id: parent?.author_id ?? null }
}

type CommentWritten =
	| NewComment
	| Extract<ForumEvent, { kind: 'comment-added' | 'comment-changed' | 'comment-pending' | 'comment-restored' }>

function writesComment(event: ForumEvent | NewComment): event is CommentWritten {
	return ['comment-added', 'comment-changed', 'comment-pending', 'comment-restored'].includes(event.kind)
}

/** Whether a newcomer's text has a link, and none of theirs was ever approved. Edits count like posts. */
async function mustWait(trx: Executor, event: ForumEvent, actor: AccountStatusRow, html: string): Promise<boolean> {
	if (!isPost(event) || !isOnProbation(actor) || !hasExternalLinks(html)) return false
	if (event.kind === 'question-changed') return event.question.authorId === event.actorId
	if (event.kind === 'comment-changed') return (await findAuthors(trx, event.commentId))?.member_id === event.actorId
	return true
}

/** Makes the text pending: replaces `event` by one that notifies nobody. */
export async function makePending(trx: Executor, event: ForumEvent): Promise<ForumEvent> {
	if (!isPost(event)) throw new Error(`${event.kind} writes no text that could wait.`)
	const { actorId, question } = event
	const wasPublished = event.kind === 'question-changed' || event.kind === 'comment-changed'
	if (!('commentId' in event)) {
		const caseId = await openPendingCase(trx, 'query', question.id)
		await queueModeratorNotification(trx, { caseId, actorId })
		return { kind: wasPublished ? 'question-unpublished' : 'question-pending', actorId, question }
	}
	const { commentId } = event
	const caseId = await openPendingCase(trx, 'comment', commentId)
	await queueModeratorNotification(trx, { caseId, actorId })
	return { kind: wasPublished ? 'comment-unpublished' : 'comment-pending', actorId, question, commentId }
}

/** Changes by moderators to others' texts, which authors and admins can look up. */
const recorded: Partial<Record<ForumEvent['kind'], string>> = {
	'question-changed': 'edit',
	'question-deleted': 'delete',
	'question-restored': 'undelete',
	'comment-changed': 'edit',
	'comment-deleted': 'delete',
	'comment-restored': 'undelete',
	'solution-chosen': 'choose solution',
	'solution-withdrawn': 'withdraw solution',
}

async function logModeratorChange(trx: Executor, event: ForumEvent, actor: AccountStatusRow): Promise<void> {
	const act = recorded[event.kind]
	if (!act || actor.role === 'member') return
	const isSolution = event.kind === 'solution-chosen' || event.kind === 'solution-withdrawn'
	const commentId = 'commentId' in event ? event.commentId : null
	const { authorId, pseudonymId } = event.question
	const owner =
		commentId === null || isSolution
			? { author_id: pseudonymId ?? authorId, member_id: authorId }
			: await findAuthors(trx, commentId)
	if (owner === undefined || owner.member_id === event.actorId) return
	await addLogRow(trx, {
		actorId: event.actorId,
		act,
		kind: commentId === null ? 'query' : 'comment',
		targetId: commentId ?? event.question.id,
		// For a text under a pseudonym, the log does not reveal the member.
		memberId: owner.author_id,
		title: event.question.title,
	})
}

type Post = Extract<ForumEvent, { kind: 'question-added' | 'question-changed' | 'comment-added' | 'comment-changed' }>

function isPost(event: ForumEvent): event is Post {
	return ['question-added', 'question-changed', 'comment-added', 'comment-changed'].includes(event.kind)
}
