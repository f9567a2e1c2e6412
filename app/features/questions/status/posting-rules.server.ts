import { requireWritingAllowed } from '~/features/accounts/security/suspension.server.ts'
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
import { type CommentAuthors, findAuthors, secondsOverLimits } from './status.queries.server.ts'

/** What the posting rules ask about a change. */
export interface PostingFacts {
	actor: AccountStatusRow
	/** Of an existing comment that the event changes, deletes, restores or votes on. */
	authors: CommentAuthors | undefined
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
	const authors = readAuthors(trx, event)
	const [actor, known, refusalByBlock, secondsOver] = await Promise.all([
		lockAuthor(trx, event.actorId),
		authors,
		findRefusalByBlock(trx, event, authors),
		kind ? listSecondsOver(trx, kind, event.actorId) : [],
	])
	return { actor, authors: known, refusalByBlock, secondsOver }
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
	const { actor, authors, refusalByBlock, secondsOver } = facts ?? (await readPostingFacts(trx, event))
	const isOwn = ownerOf(event, authors)?.member_id === event.actorId
	if (!isOwn || !isDeletion(event)) requireWritingAllowed(actor)
	// The caller checked it by the role of the session, which may have ended meanwhile.
	if (actor.role === 'member' && !mayChange(event, isOwn)) throw new NotAllowed(notOwn)
	if (refusalByBlock) throw new NotAllowed(refusalByBlock)
	if (kind === 'comments' && isLocked !== false) throw new NotAllowed(lockedMessage)
	if (kind) requirePostingAllowance(actor, kind, secondsOver)
	await logModeratorChange(trx, event, { actor, authors })
	return mustWait(event, { actor, authors, html }) ? 'pending' : 'published'
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

const notOwn = 'Only moderators can change what others wrote.'

function isDeletion({ kind }: ForumEvent): boolean {
	return kind === 'question-deleted' || kind === 'comment-deleted'
}

/** Whether an ordinary member may make this change. Whoever deleted a text may restore it, no matter who wrote it. */
function mayChange(event: ForumEvent, isOwn: boolean): boolean {
	if (event.kind === 'question-restored' || event.kind === 'comment-restored') return event.deletedBy === event.actorId
	return isOwn || !(event.kind in recorded)
}

/** The account that wrote what an event is about, and the member behind it; for a solution, who asked. */
function ownerOf(
	event: ForumEvent,
	authors: CommentAuthors | undefined,
): { author_id: number; member_id: number } | undefined {
	const isSolution = event.kind === 'solution-chosen' || event.kind === 'solution-withdrawn'
	if ('commentId' in event && event.commentId !== null && !isSolution) return authors
	const { authorId, pseudonymId } = event.question
	return { author_id: pseudonymId ?? authorId, member_id: authorId }
}

/** The authors of an existing comment that the rules ask about; undefined for events about none. */
async function readAuthors(trx: Executor, event: ForumEvent | NewComment): Promise<CommentAuthors | undefined> {
	if (event.kind === 'vote-changed')
		return event.commentId === null || event.vote === 0 ? undefined : findAuthors(trx, event.commentId)
	const isRead = ['comment-changed', 'comment-deleted', 'comment-pending', 'comment-restored'].includes(event.kind)
	return isRead && 'commentId' in event && event.commentId !== null ? findAuthors(trx, event.commentId) : undefined
}

/**
 * Blocks apply to votes on texts of whoever blocks the voter, to comments on their questions and to replies to their comments.
 * Moderators changing others' texts are exempt. Pseudonyms cannot be blocked, and the member behind one is not checked: a refusal
 * would reveal who that is.
 */
async function findRefusalByBlock(
	trx: Executor,
	event: ForumEvent | NewComment,
	authors: Promise<CommentAuthors | undefined>,
): Promise<string | null> {
	const { actorId, question } = event
	const isBlocked = (ownerIds: number[]) => isBlockedByAny(trx, ownerIds, actorId)
	const asker = question.pseudonymId ?? question.authorId
	if (event.kind === 'vote-changed') {
		if (event.vote === 0) return null
		return (await isBlocked([(await authors)?.author_id ?? asker])) ? 'You cannot vote here.' : null
	}
	if (!writesComment(event)) return null
	const comment = event.kind === 'comment-added' ? await authorsOfNew(trx, event) : await authors
	if (comment?.member_id !== actorId) return null
	return (await isBlocked([asker, comment.parent_author_id ?? 0])) ? 'You cannot comment here.' : null
}

/** The actor, and the author of the parent of their new comment. */
async function authorsOfNew(trx: Executor, { actorId, parentId }: NewComment) {
	const parent = parentId === null ? undefined : await findAuthors(trx, parentId)
	return { member_id: actorId, parent_author_id: parent?.author_id ?? null }
}

type CommentWritten =
	| NewComment
	| Extract<ForumEvent, { kind: 'comment-added' | 'comment-changed' | 'comment-pending' | 'comment-restored' }>

function writesComment(event: ForumEvent | NewComment): event is CommentWritten {
	return ['comment-added', 'comment-changed', 'comment-pending', 'comment-restored'].includes(event.kind)
}

/** Whether a newcomer's text has a link, and none of theirs was ever approved. Edits count like posts. */
function mustWait(
	event: ForumEvent,
	{ actor, authors, html }: Pick<PostingFacts, 'actor' | 'authors'> & { html: string },
): boolean {
	if (!isPost(event) || !isOnProbation(actor) || !hasExternalLinks(html)) return false
	const isChange = event.kind === 'question-changed' || event.kind === 'comment-changed'
	return !isChange || ownerOf(event, authors)?.member_id === event.actorId
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

async function logModeratorChange(
	trx: Executor,
	event: ForumEvent,
	{ actor, authors }: Pick<PostingFacts, 'actor' | 'authors'>,
): Promise<void> {
	const act = recorded[event.kind]
	if (!act || actor.role === 'member') return
	const owner = ownerOf(event, authors)
	if (owner === undefined || owner.member_id === event.actorId) return
	const commentId = 'commentId' in event ? event.commentId : null
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
