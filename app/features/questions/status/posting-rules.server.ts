import { refuseSuspended } from '~/features/accounts/security/suspension.server.ts'
import { refuseBlocked } from '~/features/members/blocks.server.ts'
import { openWaitingCase } from '~/features/moderation/cases.queries.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import type { AccountStatusRow } from '~/features/moderation/members.queries.server.ts'
import { isOnProbation, leadsElsewhere, lockAuthor, refuseTooMuch } from '~/features/moderation/posting.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { ForumEvent } from '../writing/forum-events.ts'
import { findAuthors, isLocked, readPost, secondsOverLimit } from './posting.queries.server.ts'
import { lockAnyQuestion, withholdComment, withholdQuestion } from './status.queries.server.ts'

/**
 * The rules of moderation for every change of the forum, whichever way it came in; the last word of its transaction, so that
 * a refusal leaves nothing behind. Members who are suspended only delete what is their own, nobody comments on a locked query
 * or writes to somebody who blocks them, newcomers write only so much in an hour, their first post with a link waits,
 * and what moderators do to others' texts is recorded.
 * @returns what happened in the end: the event itself, or that the post is withheld
 * @throws NotAllowed, TooMany
 */
export async function applyPostingRules(trx: Executor, event: ForumEvent): Promise<ForumEvent> {
	if ('approvedBy' in event && event.approvedBy !== undefined) return event
	const actor = await lockAuthor(trx, event.actorId)
	if (!(await deletesOwn(trx, event))) refuseSuspended(actor)
	await refuseToBlocked(trx, event)
	if (event.kind === 'comment-added' && (await isLocked(trx, event.query.id))) throw new NotAllowed(lockedMessage)
	if (event.kind === 'query-added')
		await refuseTooMuch(actor, 'questions', (most) => secondsOverLimit(trx, 'query', event.actorId, most))
	if (event.kind === 'comment-added')
		await refuseTooMuch(actor, 'comments', (most) => secondsOverLimit(trx, 'comment', event.actorId, most))
	await recordForeignHand(trx, event, actor)
	return (await mustWait(trx, event, actor)) ? withhold(trx, event) : event
}

/** The refusal of a comment under a query that a moderator locked. */
export const lockedMessage = 'This query is locked. Nobody can comment on it now.'

async function deletesOwn(trx: Executor, event: ForumEvent): Promise<boolean> {
	if (event.kind === 'query-deleted') return event.query.authorId === event.actorId
	if (event.kind !== 'comment-deleted') return false
	return (await readPost(trx, 'comment', event.commentId))?.author_id === event.actorId
}

/**
 * Votes on what somebody wrote who blocks the voter; comments under their questions and answers to their comments. Moderators
 * change what others wrote: a block does not keep them from it.
 */
async function refuseToBlocked(trx: Executor, event: ForumEvent): Promise<void> {
	const { actorId, query } = event
	const actor = { id: actorId }
	if (event.kind === 'vote-changed') {
		if (event.vote === 0) return
		const comment = event.commentId === null ? undefined : await readPost(trx, 'comment', event.commentId)
		await refuseBlocked(trx, actor, [comment?.author_id ?? query.authorId], 'You cannot vote here.')
	} else if (writesComment(event)) {
		const comment = await findAuthors(trx, event.commentId)
		if (comment?.author_id !== actorId) return
		await refuseBlocked(trx, actor, [query.authorId, comment.parent_author_id ?? 0], 'You cannot comment here.')
	}
}

type CommentWritten = Extract<
	ForumEvent,
	{ kind: 'comment-added' | 'comment-changed' | 'comment-reworded' | 'comment-restored' }
>

function writesComment(event: ForumEvent): event is CommentWritten {
	return ['comment-added', 'comment-changed', 'comment-reworded', 'comment-restored'].includes(event.kind)
}

type Post = Extract<ForumEvent, { kind: 'query-added' | 'query-changed' | 'comment-added' | 'comment-changed' }>

/** Whether this is a newcomer's text with a link, and none of theirs was ever let pass. An edit counts as well as a post. */
async function mustWait(trx: Executor, event: ForumEvent, actor: AccountStatusRow): Promise<boolean> {
	if (!isPost(event) || !isOnProbation(actor)) return false
	const post = await readPost(trx, kindOf(event), idOf(event))
	return post !== undefined && post.author_id === event.actorId && leadsElsewhere(post.html)
}

async function withhold(trx: Executor, event: ForumEvent): Promise<ForumEvent> {
	if (!isPost(event)) return event
	const { actorId, query } = event
	const why = { state: 'waiting', reason: '' } as const
	const kind = kindOf(event)
	const id = idOf(event)
	if (kind === 'query') {
		const held = await lockAnyQuestion(trx, id)
		if (held) await withholdQuestion(trx, id, held, why)
	} else await withholdComment(trx, id, query.id, why)
	await openWaitingCase(trx, kind, id)
	return kind === 'query'
		? { kind: 'query-withheld', actorId, query }
		: { kind: 'comment-withheld', actorId, query, commentId: id }
}

/** Changes of others' texts by moderators, which their authors and admins can look up. */
const recorded: Partial<Record<ForumEvent['kind'], string>> = {
	'query-changed': 'edit',
	'query-deleted': 'delete',
	'query-restored': 'undelete',
	'comment-changed': 'edit',
	'comment-deleted': 'delete',
	'comment-restored': 'undelete',
	'solution-chosen': 'choose solution',
	'solution-withdrawn': 'withdraw solution',
}

async function recordForeignHand(trx: Executor, event: ForumEvent, actor: AccountStatusRow): Promise<void> {
	const act = recorded[event.kind]
	if (!act || actor.role === 'member') return
	const isSolution = event.kind === 'solution-chosen' || event.kind === 'solution-withdrawn'
	const isComment = 'commentId' in event && event.commentId !== null
	const commentId = isComment ? (event.commentId as number) : 0
	const owner = isComment && !isSolution ? (await readPost(trx, 'comment', commentId))?.author_id : event.query.authorId
	if (owner === undefined || owner === event.actorId) return
	await addLogRow(trx, {
		actorId: event.actorId,
		act,
		kind: isComment ? 'comment' : 'query',
		targetId: isComment ? commentId : event.query.id,
		memberId: owner,
		title: event.query.title,
	})
}

function isPost(event: ForumEvent): event is Post {
	return ['query-added', 'query-changed', 'comment-added', 'comment-changed'].includes(event.kind)
}

function kindOf(event: Post): 'query' | 'comment' {
	return 'commentId' in event ? 'comment' : 'query'
}

function idOf(event: Post): number {
	return 'commentId' in event ? event.commentId : event.query.id
}
