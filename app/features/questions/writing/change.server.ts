import { createHash } from 'node:crypto'
import { closeCase } from '~/features/moderation/cases.queries.server.ts'
import { waitingMessage } from '~/features/moderation/moderation.view.ts'
import { lockAuthor } from '~/features/moderation/posting.server.ts'
import { announceUnread } from '~/features/notifications/notifications.server.ts'
import { beginRouting, resumeRouting } from '~/features/routing/choosing.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import type { Flash } from '~/lib/context.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { dropPages, LIST_PAGES } from '~/platform/cache/pages.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { transact } from '~/platform/db/transaction.server.ts'
import { KeyUsed, parseInput } from '~/platform/http/form.server.ts'
import { announce } from '~/platform/realtime/io.server.ts'
import { type Concern, findConcern, notifyOfEvent } from '../notifying/notifying.server.ts'
import { type EventQuestion, type ForumEvent, readersOf } from '../questions.events.ts'
import { limits } from '../questions.limits.ts'
import { mayWrite } from '../questions.policy.ts'
import { findNamedQuestion, type NamedQuestion, type QuestionPageRow } from '../questions.queries.server.ts'
import { keyInput } from '../questions.schema.ts'
import { findChangeableComment, findChangeableQuestion } from '../status/pending.queries.server.ts'
import { applyPostingRules, awaitModerator } from '../status/posting-rules.server.ts'
import { type CreatedPost, claimKey, countRevisions, recordKeyResult, setStatus } from './writing.queries.server.ts'

/* What every use case that writes begins with. */

export const noQuestion = 'There is no such query. It may have been deleted.'

/** The viewer as somebody who writes. @throws NotAllowed */
export function requireWriter(viewer: Viewer): SignedIn {
	if (!viewer || !mayWrite(viewer)) throw new NotAllowed('Log in first.')
	return viewer
}

/** The question, which stands. @throws NotFound */
export async function requireQuestion(id: number): Promise<NamedQuestion> {
	const question = isId(id) ? await findNamedQuestion(id) : undefined
	if (!question) throw new NotFound(noQuestion)
	return question
}

/** The question that a member wants to change: one that stands, or their own that waits for a moderator. @throws NotFound */
export async function requireChangeableQuestion(
	member: SignedIn,
	id: number,
): Promise<QuestionPageRow & { waits: boolean }> {
	const question = isId(id) ? await findChangeableQuestion(id, member.id) : undefined
	if (!question) throw new NotFound(noQuestion)
	return question
}

/**
 * Refuses an edit of a text that was edited too often already. Moderators may always edit, or nobody could mend the text.
 * @param of the text, which the caller holds
 * @throws Invalid
 */
export async function requireRoomForEdit(
	trx: Executor,
	editor: SignedIn,
	of: { questionId: number } | { commentId: number },
): Promise<void> {
	if (isModerator(editor) || (await countRevisions(trx, of)) < limits.editsMax) return
	throw new Invalid(`This text has already been edited ${limits.editsMax} times. Write a new one instead.`)
}

export const tooLate = 'Only the member who deleted it can undo this, within ten minutes.'

/* Texts that wait for a moderator. */

/** Whether a text that a member has just written or changed waits for a moderator, to tell them so. */
export async function isWaiting(author: SignedIn, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const found = await (kind === 'query' ? findChangeableQuestion : findChangeableComment)(id, author.id)
	return found?.waits === true
}

/** What is said after a question was written or changed: that it is done, and where it waits for a moderator, that it does. */
export async function flashAfter(author: SignedIn, questionId: number, done: string): Promise<Flash> {
	if (!(await isWaiting(author, 'query', questionId))) return { type: 'success', message: done }
	return { type: 'plain', message: `${done} ${waitingMessage}` }
}

/**
 * Deletes a text that waits and that the caller holds, and settles its case: no moderator has to look at it any more. A
 * suspended author may: it is their own. Nobody is named as who did it: bringing it back would let it pass without a moderator.
 */
export async function withdraw(trx: Executor, author: SignedIn, kind: 'query' | 'comment', id: number): Promise<void> {
	await setStatus(trx, kind, id, { status: 'deleted', by: null })
	// The author's row is locked before any case, as whoever judges does.
	await lockAuthor(trx, author.id)
	await closeCase(trx, kind, id)
}

/** A moderator was faster than the author of a text that waited. */
export function decidedMeanwhile(): Conflict {
	return new Conflict('A moderator has already decided this. Reload the page.')
}

/* The change itself, and what follows from it, in one place, so that no use case forgets a part of it. */

/** A change that is about to be made: the rules of moderation are asked between the two. */
export interface PlannedChange<Result> {
	/** What happens by it. */
	event: ForumEvent
	/** The text that is written, as it will be shown; only where one is. */
	html?: string
	/** Whether the question, which is held, is one that nobody may comment on; only where a comment is added. */
	isLocked?: boolean
	/**
	 * Makes it. Where a comment is added, it begins all its statements at once, so that those which ask whom it concerns travel with them.
	 * @param status of the text that is written: a pending one waits for a moderator
	 */
	write: (status: 'published' | 'pending') => Promise<Result>
}

/**
 * Changes the forum in one transaction, with what follows from it; others are told once it is committed.
 * @param plan locks the question and looks what there is to do; `done` where nothing is
 * @throws NotAllowed, TooMany where the rules of moderation forbid the change
 */
export async function change<Result>(
	plan: (trx: Executor) => Promise<PlannedChange<Result> | { done: Result }>,
): Promise<Result> {
	const { event, result } = await transact(async (trx) => {
		const planned = await plan(trx)
		if ('done' in planned) return { event: null, result: planned.done }
		const status = await applyPostingRules(trx, planned.event, planned)
		const { event: happening } = planned
		const [result, concern] = await Promise.all([
			planned.write(status),
			happening.kind === 'comment-added' && status === 'published' ? findConcern(trx, happening) : undefined,
		])
		const event = status === 'pending' ? await awaitModerator(trx, planned.event) : planned.event
		return { event: await recordEffects(trx, event, concern), result }
	})
	if (event) await announceEffects(event)
	return result
}

/** The account by which a member writes under a question: the pseudonym that they asked it under, or their own. */
export function accountIn(
	question: Pick<QuestionPageRow, 'author_id' | 'pseudonym_id' | 'username'>,
	member: SignedIn,
): { id: number; username: string } {
	const { author_id, pseudonym_id, username } = question
	return pseudonym_id !== null && author_id === member.id ? { id: pseudonym_id, username } : member
}

/** A question as events name it. */
export function eventQuestion(
	row: Pick<QuestionPageRow, 'id' | 'author_id' | 'pseudonym_id' | 'title' | 'tags' | 'username' | 'category_slug'>,
): EventQuestion {
	const { id, author_id: authorId, pseudonym_id: pseudonymId, title, tags, category_slug: category } = row
	return { id, authorId, pseudonymId, title, tags, category, url: questionUrl(row) }
}

/**
 * Stores the notifications of what happened, and has members asked about a question that became public; called as the last step of
 * its transaction.
 * @param concern whom a comment that was just added concerns, where that was asked already
 * @returns the event with whom it was told
 */
export async function recordEffects(trx: Executor, event: ForumEvent, concern?: Concern): Promise<ForumEvent> {
	if (event.kind === 'question-added') await beginRouting(trx, event.question.id)
	if (event.kind === 'question-restored' || event.kind === 'question-republished')
		await resumeRouting(trx, event.question.id)
	return { ...event, told: await notifyOfEvent(trx, event, concern) }
}

/** The cache tag of the page of one question. */
export function questionTag(id: number): string {
	return `query:${id}`
}

/** What others are told; called after the commit. */
export async function announceEffects(event: ForumEvent): Promise<void> {
	const { question } = event
	// The numbers first, which are those of the commit: whoever reads meanwhile is told a later one after them.
	const counted = announceUnread(event.told ?? [])
	await Promise.all([counted, dropPages([LIST_PAGES, questionTag(question.id)])])
	if (event.kind === 'question-added') announce('forum', 'query:added', { url: question.url })
	if (event.kind === 'comment-added') {
		const { commentId, username } = event
		announce(readersOf(question.id), 'comment:added', { questionId: question.id, commentId, username })
	}
}

/** One submission of a form or a call: whose it is, under which key, and of what. */
export interface KeyedSubmission {
	authorId: number
	key: string
	digest: string
}

/**
 * What a repeated submission is recognised by.
 * @param input may have a `key` of 1 to 100 characters, made by whoever sends it
 * @param content everything that makes one post differ from another
 * @returns null without a key: then each submission makes a post
 * @throws Invalid for what can be no key
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
 * As {@link change}, for a new post: sent again with the same key it makes nothing, and answers with what the first one made,
 * also when both come at the same moment. A submission that was refused leaves its key free.
 * @throws KeyUsed when the key was used for another text
 */
export function changeOnce<Made extends CreatedPost>(
	submission: KeyedSubmission | null,
	make: (trx: Executor) => Promise<PlannedChange<Made>>,
): Promise<Made | CreatedPost> {
	if (!submission) return change(make)
	return change<Made | CreatedPost>(async (trx) => {
		const before = await claimKey(trx, submission)
		if (before) return { done: resultOfFirst(submission, before) }
		const plan = await make(trx)
		return {
			...plan,
			async write(status) {
				const made = await plan.write(status)
				await recordKeyResult(trx, submission, made)
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
	if (before.digest !== submission.digest) throw new KeyUsed()
	return { id: before.post_id, url: before.url }
}
