import { refuseSuspended } from '~/features/accounts/security/suspension.server.ts'
import { isBlockedByAny } from '~/features/members/blocks.queries.server.ts'
import { openWaitingCase } from '~/features/moderation/cases.queries.server.ts'
import { tellModeratorsLater } from '~/features/moderation/handling/handling.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import type { AccountStatusRow } from '~/features/moderation/members.queries.server.ts'
import { postingLimits } from '~/features/moderation/moderation.limits.ts'
import { isOnProbation, leadsElsewhere, lockAuthor, refuseTooMuch } from '~/features/moderation/posting.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { ForumEvent } from '../questions.events.ts'
import { findAuthors, secondsOverLimits } from './status.queries.server.ts'

/**
 * The rules of moderation for every change of the forum, whichever way it comes in. They are asked before it, with the question
 * locked, so that nothing is stored that they refuse. Members who are suspended only delete what is their own, nobody comments
 * on a locked question or writes to somebody who blocks them, newcomers write only so much in an hour, their first post with a
 * link waits, and what moderators do to others' texts is recorded.
 * @param written.html the text that is written, as it will be shown; none where none is
 * @param written.isLocked whether nobody may comment on the question; where a comment is added, what is not known counts as so
 * @returns the status of the text that is written
 * @throws NotAllowed, TooMany
 */
export async function applyPostingRules(
	trx: Executor,
	event: ForumEvent,
	{ html = '', isLocked }: { html?: string; isLocked?: boolean },
): Promise<'published' | 'pending'> {
	const kind = added[event.kind]
	// Begun together, they travel together; the author is locked before the posts are counted.
	const [actor, isOwnDeletion, refusalByBlock, secondsOver] = await Promise.all([
		lockAuthor(trx, event.actorId),
		deletesOwn(trx, event),
		findRefusalByBlock(trx, event),
		kind ? listSecondsOver(trx, kind, event.actorId) : [],
	])
	if (!isOwnDeletion) refuseSuspended(actor)
	if (refusalByBlock) throw new NotAllowed(refusalByBlock)
	if (kind === 'comments' && isLocked !== false) throw new NotAllowed(lockedMessage)
	if (kind) refuseTooMuch(actor, kind, secondsOver)
	await logModeratorChange(trx, event, actor)
	return (await mustWait(trx, event, actor, html)) ? 'pending' : 'published'
}

/** The refusal of a comment under a question that a moderator locked. */
export const lockedMessage = 'This query is locked. Nobody can comment on it now.'

/** The events that a new post is, as its limit is named. */
const added: Partial<Record<ForumEvent['kind'], 'questions' | 'comments'>> = {
	'question-added': 'questions',
	'comment-added': 'comments',
}

function listSecondsOver(trx: Executor, kind: 'questions' | 'comments', authorId: number): Promise<(number | null)[]> {
	const limits = postingLimits.map((limit) => limit[kind])
	return secondsOverLimits(trx, kind === 'questions' ? 'query' : 'comment', authorId, limits)
}

async function deletesOwn(trx: Executor, event: ForumEvent): Promise<boolean> {
	if (event.kind === 'question-deleted') return event.question.authorId === event.actorId
	if (event.kind !== 'comment-deleted') return false
	return (await findAuthors(trx, event.commentId))?.member_id === event.actorId
}

/**
 * Votes on what somebody wrote who blocks the voter; comments under their questions and answers to their comments. Moderators
 * change what others wrote: a block does not keep them from it. Nobody blocks a pseudonym, and who is behind one is not asked:
 * to be refused there and nowhere else, or by one member's block, would tell.
 */
async function findRefusalByBlock(trx: Executor, event: ForumEvent): Promise<string | null> {
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

/** Of a comment that is still to be added, the author of its parent is looked up. */
async function authorsOf(trx: Executor, event: CommentWritten) {
	if (event.kind !== 'comment-added') return findAuthors(trx, event.commentId)
	const parent = event.parentId === null ? undefined : await findAuthors(trx, event.parentId)
	return { member_id: event.actorId, parent_author_id: parent?.author_id ?? null }
}

type CommentWritten = Extract<
	ForumEvent,
	{ kind: 'comment-added' | 'comment-changed' | 'comment-pending' | 'comment-restored' }
>

function writesComment(event: ForumEvent): event is CommentWritten {
	return ['comment-added', 'comment-changed', 'comment-pending', 'comment-restored'].includes(event.kind)
}

/** Whether this is a newcomer's text with a link, and none of theirs was ever let pass. An edit counts as well as a post. */
async function mustWait(trx: Executor, event: ForumEvent, actor: AccountStatusRow, html: string): Promise<boolean> {
	if (!isPost(event) || !isOnProbation(actor) || !leadsElsewhere(html)) return false
	if (event.kind === 'question-changed') return event.question.authorId === event.actorId
	if (event.kind === 'comment-changed') return (await findAuthors(trx, event.commentId))?.member_id === event.actorId
	return true
}

/** What happened in place of `event`, as the text must wait for a moderator: others are told of nothing new. */
export async function awaitModerator(trx: Executor, event: ForumEvent): Promise<ForumEvent> {
	if (!isPost(event)) throw new Error(`${event.kind} writes no text that could wait.`)
	const { actorId, question } = event
	const wasPublished = event.kind === 'question-changed' || event.kind === 'comment-changed'
	if (!('commentId' in event)) {
		const caseId = await openWaitingCase(trx, 'query', question.id)
		await tellModeratorsLater(trx, { caseId, actorId })
		return { kind: wasPublished ? 'question-unpublished' : 'question-pending', actorId, question }
	}
	const { commentId } = event
	const caseId = await openWaitingCase(trx, 'comment', commentId)
	await tellModeratorsLater(trx, { caseId, actorId })
	return { kind: wasPublished ? 'comment-unpublished' : 'comment-pending', actorId, question, commentId }
}

/** Changes of others' texts by moderators, which their authors and admins can look up. */
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
	const isComment = 'commentId' in event && event.commentId !== null
	const commentId = isComment ? (event.commentId as number) : 0
	const { authorId, pseudonymId } = event.question
	const owner =
		isComment && !isSolution
			? await findAuthors(trx, commentId)
			: { author_id: pseudonymId ?? authorId, member_id: authorId }
	if (owner === undefined || owner.member_id === event.actorId) return
	await addLogRow(trx, {
		actorId: event.actorId,
		act,
		kind: isComment ? 'comment' : 'query',
		targetId: isComment ? commentId : event.question.id,
		// Of a text under a pseudonym the log does not tell whose it is.
		memberId: owner.author_id,
		title: event.question.title,
	})
}

type Post = Extract<ForumEvent, { kind: 'question-added' | 'question-changed' | 'comment-added' | 'comment-changed' }>

function isPost(event: ForumEvent): event is Post {
	return ['question-added', 'question-changed', 'comment-added', 'comment-changed'].includes(event.kind)
}
