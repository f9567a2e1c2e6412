import { closeCase, closeCases, openPendingCase } from '~/features/moderation/cases.queries.server.ts'
import { announceUnread } from '~/features/notifications/notifications.server.ts'
import { mainTags } from '~/features/tags/tags.server.ts'
import { invalidatePages, LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { forgetComments } from '../notifying/notifying.server.ts'
import { type EventQuestion, eventQuestion, type ForumEvent, questionTag } from '../questions.events.ts'
import { announceEffects, recordEffects } from '../writing/change.server.ts'
import {
	publishComment,
	publishQuestion,
	removeComment,
	removeQuestion,
	setStatus,
} from '../writing/writing.queries.server.ts'
import {
	type HeldComment,
	hideHeldComments,
	type LockedPost,
	listCommentSubjects,
	listQuestionSubjects,
	lockAnyComment,
	lockAnyComments,
	lockAnyQuestions,
	setMergedInto,
} from './status.queries.server.ts'

/* Posts that moderators hide in one takedown, in small transactions. Their author is notified of the takedown, not of each post. */

type PostKind = 'query' | 'comment'

interface HiddenPost {
	kind: PostKind
	id: number
	/** The moderator. */
	by: number
}

/** The state of a post that is not hidden or deleted. */
export interface StandingState {
	/** For a merged question it is `pending`: moderators decide about it if it cannot be merged again. */
	status: 'published' | 'pending'
	/** The question that it was merged into; null for others. */
	into: number | null
	/** Why it was merged; empty for others. */
	reason: string
}

/**
 * Hides a published, pending or merged post, and closes its case.
 * @param record stores its previous state in the same transaction
 * @returns whether it was hidden; false when a concurrent request did so first
 */
export function hidePost(
	{ kind, id, by, reason }: HiddenPost & { reason: string },
	record: (trx: Executor, before: StandingState) => Promise<void>,
): Promise<boolean> {
	return inPost(kind, id, async (trx, question, held) => {
		const { status } = held
		if (status !== 'published' && status !== 'pending' && status !== 'merged') return null
		const hidden = { status: 'hidden', reason, by } as const
		if (status === 'pending') await setStatus(trx, kind, id, hidden)
		else if (status === 'merged') await setMergedInto(trx, id, hidden, null)
		else if (kind === 'query') await removeQuestion(trx, id, held, hidden)
		else await removeComment(trx, id, question.id, hidden)
		await closeCase(trx, kind, id)
		const wasMerged = { status: 'pending', into: held.merged_into, reason: held.status_reason } as const
		await record(trx, status === 'merged' ? wasMerged : { status, into: null, reason: '' })
		return kind === 'query'
			? { kind: 'question-unpublished', actorId: by, question }
			: { kind: 'comment-unpublished', actorId: by, question, commentId: id }
	})
}

/**
 * Hides comments of any questions as {@link hidePost} does, in one transaction: each question is recounted once.
 * @param ids few, as all their questions are locked meanwhile
 * @param record stores the previous status of each hidden comment in the same transaction
 */
export async function hideComments(
	{ ids, by, reason }: { ids: readonly number[]; by: number; reason: string },
	record: (trx: Executor, hidden: readonly HeldComment[]) => Promise<void>,
): Promise<void> {
	const { hidden, notified } = await db()
		.transaction()
		.execute(async (trx) => {
			const held = await lockAnyComments(trx, ids)
			const hidden = held.filter(({ status }) => status === 'published' || status === 'pending')
			if (hidden.length === 0) return { hidden, notified: [] }
			await hideHeldComments(trx, hidden, { reason, by })
			const hiddenIds = hidden.map(({ id }) => id)
			await closeCases(trx, 'comment', hiddenIds)
			await record(trx, hidden)
			return { hidden, notified: await forgetComments(trx, hidden) }
		})
	if (hidden.length === 0) return
	await invalidatePages([LIST_PAGES, ...new Set(hidden.map(({ question_id }) => questionTag(question_id)))])
	await announceUnread(notified)
}

/**
 * Restores the previous state of a hidden post. One that was pending becomes pending again, as does one that was merged into a question
 * that is gone.
 * @param post `before`: as it was recorded; of comments only the status
 * @param claim says in the same transaction, once the post is locked, whether it is still hidden by the takedown
 * @returns whether it was restored
 */
export function restorePost(
	{ kind, id, by, before }: HiddenPost & { before: Partial<StandingState> },
	claim: (trx: Executor) => Promise<boolean>,
): Promise<boolean> {
	const { status = 'published', into = null, reason = '' } = before
	const work: PostWork = async (trx, question, held, otherExists) => {
		if (held.status !== 'hidden' || !(await claim(trx))) return null
		if (into !== null && otherExists) {
			await setMergedInto(trx, id, { status: 'merged', reason, by }, into)
			return { kind: 'question-unpublished', actorId: by, question }
		}
		if (status === 'pending') {
			await setStatus(trx, kind, id, { status: 'pending', by: null })
			await openPendingCase(trx, kind, id)
			return kind === 'query'
				? { kind: 'question-pending', actorId: by, question }
				: { kind: 'comment-pending', actorId: by, question, commentId: id }
		}
		if (kind === 'query') {
			const tags = await mainTags(trx, held.tags)
			await publishQuestion(trx, id, by, tags)
			return { kind: 'question-republished', actorId: by, question: { ...question, tags } }
		}
		await publishComment(trx, id, question.id, { from: 'hidden', by })
		return { kind: 'comment-republished', actorId: by, question, commentId: id }
	}
	return inPost(kind, id, work, into)
}

/** @param otherExists whether the other question that is locked is still there @returns the event; null for none */
type PostWork = (
	trx: Executor,
	question: EventQuestion,
	held: Pick<LockedPost, 'status' | 'status_reason' | 'category_id' | 'tags' | 'merged_into'>,
	otherExists: boolean,
) => Promise<ForumEvent | null>

/** Locks a post and its question. @param other another question to lock */
async function inPost(kind: PostKind, id: number, work: PostWork, other: number | null = null): Promise<boolean> {
	const [row] = await (kind === 'query' ? listQuestionSubjects([id]) : listCommentSubjects([id]))
	if (!row) return false
	const question = eventQuestion({ ...row, id: row.question_id, author_id: row.question_author_id })
	const event = await db()
		.transaction()
		.execute(async (trx) => {
			const questions = await lockAnyQuestions(trx, other === null ? [question.id] : [question.id, other])
			const locked = questions.get(question.id)
			const held = kind === 'query' ? locked : await lockAnyComment(trx, id)
			if (!locked || !held) return null
			const happened = await work(trx, question, { ...locked, ...held }, other !== null && questions.has(other))
			return happened && recordEffects(trx, happened)
		})
	if (event) await announceEffects(event)
	return event !== null
}
