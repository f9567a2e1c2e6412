import { closeCase, openWaitingCase } from '~/features/moderation/cases.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { EventQuestion, ForumEvent } from '../questions.events.ts'
import { announceEffects, eventQuestion, recordEffects } from '../writing/change.server.ts'
import {
	publishComment,
	publishQuestion,
	removeComment,
	removeQuestion,
	setStatus,
} from '../writing/writing.queries.server.ts'
import { listCommentSubjects, listQuestionSubjects, lockAnyComment, lockAnyQuestion } from './status.queries.server.ts'

/* One post of many that moderators hide in one act, each in a transaction of its own. Their author is told of the act, not of each. */

type PostKind = 'query' | 'comment'

interface HiddenPost {
	kind: PostKind
	id: number
	/** The moderator. */
	by: number
}

/**
 * Hides a post that is published or waits, and closes its case.
 * @param record stores in the same transaction which status it had
 * @returns whether it was hidden: somebody else may have been faster
 */
export function hidePost(
	{ kind, id, by, reason }: HiddenPost & { reason: string },
	record: (trx: Executor, before: 'published' | 'pending') => Promise<void>,
): Promise<boolean> {
	return inPost(kind, id, async (trx, question, held) => {
		if (held.status !== 'published' && held.status !== 'pending') return null
		const hidden = { status: 'hidden', reason, by } as const
		if (held.status === 'pending') await setStatus(trx, kind, id, hidden)
		else if (kind === 'query') await removeQuestion(trx, id, held, hidden)
		else await removeComment(trx, id, question.id, hidden)
		await closeCase(trx, kind, id)
		await record(trx, held.status)
		return kind === 'query'
			? { kind: 'question-unpublished', actorId: by, question }
			: { kind: 'comment-unpublished', actorId: by, question, commentId: id }
	})
}

/**
 * Gives a hidden post the status back that it had. One that waited for a moderator waits again.
 * @param claim says in the same transaction, once the post is locked, whether it still stands as it was hidden
 * @returns whether it was restored
 */
export function restorePost(
	{ kind, id, by, before }: HiddenPost & { before: 'published' | 'pending' },
	claim: (trx: Executor) => Promise<boolean>,
): Promise<boolean> {
	return inPost(kind, id, async (trx, question, held) => {
		if (held.status !== 'hidden' || !(await claim(trx))) return null
		if (before === 'pending') {
			await setStatus(trx, kind, id, { status: 'pending', by: null })
			await openWaitingCase(trx, kind, id)
			return kind === 'query'
				? { kind: 'question-pending', actorId: by, question }
				: { kind: 'comment-pending', actorId: by, question, commentId: id }
		}
		if (kind === 'query') {
			await publishQuestion(trx, id, by)
			return { kind: 'question-republished', actorId: by, question }
		}
		await publishComment(trx, id, question.id, { from: 'hidden', by })
		return { kind: 'comment-republished', actorId: by, question, commentId: id }
	})
}

/** Locks a post below its question. @param work what happened by it; null for nothing */
async function inPost(
	kind: PostKind,
	id: number,
	work: (
		trx: Executor,
		question: EventQuestion,
		held: { status: string; category_id: number },
	) => Promise<ForumEvent | null>,
): Promise<boolean> {
	const [row] = await (kind === 'query' ? listQuestionSubjects([id]) : listCommentSubjects([id]))
	if (!row) return false
	const question = eventQuestion({ ...row, id: row.question_id, author_id: row.question_author_id })
	const event = await db()
		.transaction()
		.execute(async (trx) => {
			const locked = await lockAnyQuestion(trx, question.id)
			const held = kind === 'query' ? locked : await lockAnyComment(trx, id)
			if (!locked || !held) return null
			const happened = await work(trx, question, { ...locked, ...held })
			return happened && recordEffects(trx, happened)
		})
	if (event) await announceEffects(event)
	return event !== null
}
