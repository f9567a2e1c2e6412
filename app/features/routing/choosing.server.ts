import { randomInt } from 'node:crypto'
import type { NotificationKind } from '~/features/notifications/kinds.server.ts'
import { announceUnread, notify } from '~/features/notifications/notifications.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import {
	findRounds,
	insertAsks,
	insertRouting,
	listCandidates,
	lockAskable,
	lockOpenQuestion,
	lockRounds,
	writeDeclined,
	writeOptedIn,
	writeRounds,
} from './choosing.queries.server.ts'
import {
	LEFT_OUT_PERCENT,
	MAX_ASKED_PER_ROUND,
	MAX_CONSIDERED,
	MAX_ROUNDS,
	SECOND_ROUND_DELAY_SECONDS,
} from './routing.limits.ts'

/*
 * Asks members whether they know the answer to a new question. A job after the commit chooses them by `listCandidates`, and once more if
 * nobody answers.
 */

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		'may-know': never
	}
}

/** Notifications about questions that a member may be able to answer. */
export const routingKinds: { 'may-know': NotificationKind } = {
	'may-know': { label: 'Queries that I may know the answer to', order: 55, by: 'You', words: 'may know this:' },
}

/** The payload of the job for one round. */
export interface RoutingRound {
	questionId: number
	/** 1 or 2. */
	round: number
}

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Asks members about a question. */
		'route-question': RoutingRound
	}
}

/**
 * Starts asking members about a newly published question, unless it is left out at random, which is decided once and stored. Part of the
 * transaction that publishes it; it locks only its own new row.
 * @param drawn a random number from 0 to 99
 */
export async function beginRouting(trx: Executor, questionId: number, drawn = randomInt(100)): Promise<void> {
	await Promise.all([insertRouting(trx, questionId, drawn >= LEFT_OUT_PERCENT), resumeRouting(trx, questionId)])
}

/** Resumes the rounds of a question that was not public for a while. */
export async function resumeRouting(trx: Executor, questionId: number): Promise<void> {
	const rounds = await findRounds(trx, questionId)
	if (rounds !== undefined) await queueRound(trx, { questionId, round: rounds + 1 })
}

async function queueRound(trx: Executor, { questionId, round }: RoutingRound): Promise<void> {
	if (round > MAX_ROUNDS) return
	await addJob('route-question', { questionId, round }, trx, round === 1 ? 0 : SECOND_ROUND_DELAY_SECONDS)
}

/**
 * Runs one round in a transaction: chooses members, notifies them, and schedules the next round. Idempotent, also after an interruption.
 * Does nothing while the question is not public, or once it is answered, solved or locked.
 */
export async function routeQuestion({ questionId, round }: RoutingRound): Promise<void> {
	const notified = await db()
		.transaction()
		.execute(async (trx) => {
			// Locks in the order of all writers: the question, its routing, the members, their notifications.
			const question = await lockOpenQuestion(trx, questionId)
			if (!question || question.answered) return []
			if (round > MAX_ROUNDS || (await lockRounds(trx, questionId)) !== round - 1) return []
			const found = await listCandidates(trx, questionId, MAX_CONSIDERED)
			const free = await lockAskable(
				trx,
				found.map((member) => member.user_id),
			)
			const chosen = found.filter((member) => free.has(member.user_id)).slice(0, MAX_ASKED_PER_ROUND)
			await insertAsks(trx, { questionId, round }, chosen)
			await writeRounds(trx, questionId, round)
			await queueRound(trx, { questionId, round: round + 1 })
			return notify(trx, {
				people: new Map(chosen.map((member) => [member.user_id, 'may-know'])),
				actorId: question.author_id,
				subject: {
					type: 'query',
					id: questionId,
					title: question.title,
					url: questionUrl({ ...question, id: questionId }),
				},
				part: null,
				replaces: 'followed',
			})
		})
	await announceUnread(notified)
}

/**
 * Records or withdraws the “not me” of a member who was asked; they are asked less often about those skills.
 * @returns what they know about the question
 * @throws NotAllowed for a visitor, NotFound if they were not asked, TooManyRequests
 */
export async function declineQuestion(viewer: Viewer, questionId: number, declined: boolean): Promise<string[]> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const names = isId(questionId) ? await writeDeclined(member.id, questionId, declined) : undefined
	if (!names) throw new NotFound('You were not asked about this query.')
	return names
}

/** Sets whether the viewer may be asked about new questions. @throws NotAllowed for a visitor, TooManyRequests */
export async function setOptedIn(viewer: Viewer, optedIn: boolean): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	await writeOptedIn(db(), [member.id], optedIn)
}
