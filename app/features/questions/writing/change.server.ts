import { createHash } from 'node:crypto'
import { closeCase } from '~/features/moderation/cases.queries.server.ts'
import { pendingMessage } from '~/features/moderation/moderation.view.ts'
import { lockAuthor } from '~/features/moderation/posting.server.ts'
import { announceUnread } from '~/features/notifications/notifications.server.ts'
import { beginRouting, resumeRouting } from '~/features/routing/choosing.server.ts'
import { isId } from '~/lib/checks.ts'
import type { Flash } from '~/lib/context.ts'
import { Conflict, Invalid, NoSuch } from '~/lib/errors.ts'
import { isModerator, type SignedIn } from '~/lib/viewer.ts'
import { invalidatePages, LIST_PAGES } from '~/platform/cache/pages.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { pipelinedTransaction, type SendLast } from '~/platform/db/transaction.server.ts'
import { KeyReused, parseInput } from '~/platform/http/form.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { type CommentAudience, notifyOfEvent } from '../notifying/notifying.server.ts'
import { type ForumEvent, questionRoom, questionTag } from '../questions.events.ts'
import { postLimits } from '../questions.limits.ts'
import type { QuestionPageRow } from '../questions.queries.server.ts'
import { keyInput } from '../questions.schema.ts'
import { findChangeableComment, findChangeableQuestion } from '../status/pending.queries.server.ts'
import { applyPostingRules, makePending, type PostingFacts } from '../status/posting-rules.server.ts'
import {
	type CreatedPost,
	claimKey,
	countRevisions,
	type KeyedSubmission,
	recordKeyResult,
	setStatus,
} from './writing.queries.server.ts'

/* The checks before a member changes a text of the forum. */

/** A question that a member wants to change: a published one, or their own pending one. @throws NotFound */
export async function requireChangeableQuestion(
	member: SignedIn,
	id: number,
): Promise<QuestionPageRow & { isPending: boolean }> {
	const question = isId(id) ? await findChangeableQuestion(id, member.id) : undefined
	if (!question) throw new NoSuch('query')
	return question
}

/**
 * Rejects an edit of a text that was edited too often. Moderators are exempt, as it must remain possible to fix the text.
 * @param of the text, which the caller has locked
 * @throws Invalid
 */
export async function requireRoomForEdit(
	trx: Executor,
	editor: SignedIn,
	of: { questionId: number } | { commentId: number },
): Promise<void> {
	if (isModerator(editor) || (await countRevisions(trx, of)) < postLimits.editsMax) return
	throw new Invalid(`This text has already been edited ${postLimits.editsMax} times. Write a new one instead.`)
}

export const undoTooLate = 'Only the member who deleted it can undo this, within ten minutes.'

/* Pending texts. */

/** Whether a text that a member has just written is pending, to tell them so. */
export async function isPostPending(author: SignedIn, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const found = await (kind === 'query' ? findChangeableQuestion : findChangeableComment)(id, author.id)
	return found?.isPending === true
}

/** The toast after a question was written or changed: that it is done, or that it waits for a moderator. */
export async function flashAfter(author: SignedIn, questionId: number, done: string): Promise<Flash> {
	if (!(await isPostPending(author, 'query', questionId))) return { type: 'success', message: done }
	return { type: 'plain', message: `${done} ${pendingMessage}` }
}

/**
 * Deletes a locked pending text, and closes its case: moderators no longer need to look at it. A suspended author may
 * do so, as it is their own. `status_by` stays empty, as undoing the deletion would publish it without a moderator.
 */
export async function withdrawPending(
	trx: Executor,
	author: SignedIn,
	kind: 'query' | 'comment',
	id: number,
): Promise<void> {
	await setStatus(trx, kind, id, { status: 'deleted', by: null })
	// The author's row is locked before any case, as moderators' decisions do.
	await lockAuthor(trx, author.id)
	await closeCase(trx, kind, id)
}

/** A moderator decided about a pending text before its author changed it. */
export function alreadyDecided(): Conflict {
	return new Conflict('A moderator has already decided this. Reload the page.')
}

/* The change itself and its effects, in one place, so that no use case forgets one. */

/** A planned change: the posting rules are checked between planning and writing. */
export interface PlannedChange<Result> {
	/** The event of the change. */
	event: ForumEvent
	/** The rendered text to be written; only where there is one. */
	html?: string
	/** Whether the locked question is closed for comments; only where a comment is added. */
	isLocked?: boolean
	/** What the posting rules ask, and whom a new comment concerns, if that was read in the round trip that locked the question. */
	facts?: PostingFacts
	concern?: CommentAudience
	/** Whether `write` begins all its statements before its first await and refuses nothing: COMMIT may be sent before its result is known. */
	isOneStep?: boolean
	/**
	 * Writes the change. Where `concern` is known, it issues its statement before its first await: notifications are pipelined after it.
	 * @param status of the text: a pending one waits for a moderator
	 */
	write: (status: 'published' | 'pending') => Promise<Result>
}

/**
 * Changes the forum in one transaction, with all effects; announces it after the commit.
 * @param plan locks the question and decides what to do; `done` where there is nothing
 * @throws NotAllowed, TooManyRequests where the posting rules forbid the change
 */
export async function changeForum<Result>(
	plan: (trx: Executor) => Promise<PlannedChange<Result> | { done: Result }>,
): Promise<Result> {
	const { event, result } = await pipelinedTransaction(async (trx, last) => {
		const planned = await plan(trx)
		if ('done' in planned) return { event: null, result: planned.done }
		const status = await applyPostingRules(trx, planned.event, planned)
		if (status === 'published' && planned.concern) return writeAndNotify(trx, planned, planned.concern, last)
		const result = await planned.write(status)
		const event = status === 'pending' ? await makePending(trx, planned.event) : planned.event
		return { event: await recordEffects(trx, event), result }
	})
	if (event) await announceEffects(event)
	return result
}

/** Writes a change and its notifications in one round trip, as it is known whom it concerns. */
async function writeAndNotify<Result>(
	trx: Executor,
	{ event, write, isOneStep }: PlannedChange<Result>,
	concern: CommentAudience,
	last: SendLast,
): Promise<{ event: ForumEvent; result: Result }> {
	const writing = write('published')
	const notifying = recordEffects(trx, event, concern, isOneStep ? last : undefined)
	// Waits for both before it throws, as no statement may be issued after a rollback.
	const [written, notified] = await Promise.allSettled([writing, notifying])
	if (written.status === 'rejected') throw written.reason
	if (notified.status === 'rejected') throw notified.reason
	return { event: notified.value, result: written.value }
}

/**
 * Stores notifications, and queues the routing of a question that became public; the last step of the transaction.
 * @param concern the members whom a new comment concerns, where they are known already
 * @param last sends COMMIT with what is stored last for a new comment
 * @returns the event with the members whose notifications changed
 */
export async function recordEffects(
	trx: Executor,
	event: ForumEvent,
	concern?: CommentAudience,
	last?: SendLast,
): Promise<ForumEvent> {
	if (event.kind === 'question-added') await beginRouting(trx, event.question.id)
	if ((event.kind === 'question-restored' && !event.isMerged) || event.kind === 'question-republished')
		await resumeRouting(trx, event.question.id)
	return { ...event, notified: await notifyOfEvent(trx, event, concern, last) }
}

/** Announces an event; call it after the commit. */
export async function announceEffects(event: ForumEvent): Promise<void> {
	const { question } = event
	// The counts first, as they date from the commit: a member who reads meanwhile must get the later count after them.
	const counted = announceUnread(event.notified ?? [])
	await Promise.all([counted, invalidatePages([LIST_PAGES, questionTag(question.id)])])
	if (event.kind === 'question-added') announce('forum', 'query:added', { url: question.url })
	if (event.kind === 'comment-added') {
		const { commentId, username } = event
		announce(questionRoom(question.id), 'comment:added', { questionId: question.id, commentId, username })
	}
}

/**
 * The identity of a submission, to recognize a repeated one.
 * @param input may have a `key` of 1 to 100 characters, chosen by the sender
 * @param content everything that makes two posts differ
 * @returns null without a key: then each submission creates a post
 * @throws Invalid for a malformed key
 */
export function readSubmission(
	authorId: number,
	input: Record<string, unknown>,
	content: unknown[],
): KeyedSubmission | null {
	const { key } = parseInput(keyInput, input)
	if (key === null) return null
	return { authorId, key, digest: createHash('sha256').update(JSON.stringify(content)).digest('base64url') }
}

/**
 * Like {@link changeForum}, for a new post, idempotently: a repetition with the same key creates nothing and returns the first result, even
 * when both run concurrently. A refused submission leaves its key unused.
 * @throws KeyReused when the key was used for another text
 */
export function changeForumOnce<Made extends CreatedPost>(
	submission: KeyedSubmission | null,
	make: (trx: Executor) => Promise<PlannedChange<Made> & { post: CreatedPost }>,
): Promise<Made | CreatedPost> {
	if (!submission) return changeForum(make)
	return changeForum<Made | CreatedPost>(async (trx) => {
		const before = await claimKey(trx, submission)
		if (before) return { done: resultOfFirst(submission, before) }
		const plan = await make(trx)
		return {
			...plan,
			async write(status) {
				const [made] = await Promise.all([plan.write(status), recordKeyResult(trx, submission, plan.post)])
				return made
			},
		}
	})
}

function resultOfFirst(
	submission: KeyedSubmission,
	before: { digest: string; post_id: number | null; url: string | null },
): CreatedPost {
	if (before.post_id === null || before.url === null)
		throw new Error('An idempotency key is stored without its result.')
	if (before.digest !== submission.digest) throw new KeyReused()
	return { id: before.post_id, url: before.url }
}
