import { z } from 'zod'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import { announceUnread, notifyOfFact } from '~/features/notifications/notifications.server.ts'
import { findAsker } from '~/features/questions/notifying/notifying.queries.server.ts'
import { aboutQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { eventQuestion, questionTag } from '~/features/questions/questions.events.ts'
import { mayVote } from '~/features/questions/questions.policy.ts'
import { requireQuestion } from '~/features/questions/questions.server.ts'
import { lockComment } from '~/features/questions/writing/writing.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, NoSuch, NotAllowed } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { invalidatePages } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import {
	claimOutdatedNotice,
	findMarkedSolution,
	type MarkedSolution,
	removeOutdated,
	writeOutdated,
} from './outdated.queries.server.ts'
import { type OutdatedReason, outdatedReasons } from './upkeep.view.ts'

/* Members report that a solution no longer works; readers see that, and its author and the asker are notified. */

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		outdated: never
	}
}

/** The notifications of the author and the asker. */
export const outdatedKinds = {
	outdated: {
		label: 'A solution of mine, or to my query, no longer works',
		order: 45,
		by: 'Members',
		words: 'say that a solution no longer works in',
	},
} as const satisfies Partial<Record<NotificationKindName, NotificationKind>>

const reasons = Object.keys(outdatedReasons) as OutdatedReason[]

/** Input of a report. */
export const outdatedInput = z.object({ reason: z.enum(reasons, 'Choose one of the reasons.').default('') })

/**
 * Reports that a solution no longer works. A report is about the present text, and expires with an edit. Reporting again changes the
 * reason. With two reports, the author and the asker are notified, once for each text.
 * @param input `reason`, a key of `outdatedReasons`
 * @returns the address of the solution
 * @throws NotAllowed for a visitor, a suspended member and its author; NotFound, Conflict if it is not a solution, Invalid, TooManyRequests
 */
export async function reportOutdated(viewer: Viewer, commentId: number, input: Input): Promise<{ url: string }> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	await requireMayWrite(member.id)
	const { reason } = parseInput(outdatedInput, input)
	const seen = await requireMarkedSolution(commentId)
	requireOthers(member, seen)
	const question = eventQuestion(await requireQuestion(seen.question_id))
	const notified = await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await lockComment(trx, commentId, seen.question_id))) throw new NoSuch('comment')
			// Read again, as two accounts may have been merged while this waited for the lock.
			const solution = (await findMarkedSolution(trx, commentId)) ?? seen
			requireOthers(member, solution)
			const { version, author_id: authorId } = solution
			if (!solution.is_solution)
				throw new Conflict('Only solutions can be marked as no longer working. This is no longer one.')
			await writeOutdated(trx, { commentId, userId: member.id, version, reason })
			if (!(await claimOutdatedNotice(trx, commentId))) return []
			const memberIds = [...new Set([authorId, (await findAsker(trx, question.id)) ?? authorId])]
			return notifyOfFact(trx, {
				kind: 'outdated',
				memberIds: memberIds.filter((id) => id !== member.id),
				group: `comment:${commentId}`,
				...aboutQuestion(question, commentId),
			})
		})
	await invalidatePages([questionTag(question.id)])
	await announceUnread(notified)
	return { url: `${question.url}#comment-${commentId}` }
}

/** Withdraws a report. @returns the address of the solution @throws NotAllowed for a visitor, NotFound, TooManyRequests */
export async function withdrawOutdated(viewer: Viewer, commentId: number): Promise<{ url: string }> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const { question_id: questionId } = await requireMarkedSolution(commentId)
	await removeOutdated(member.id, commentId)
	await invalidatePages([questionTag(questionId)])
	return { url: `${questionUrl(await requireQuestion(questionId))}#comment-${commentId}` }
}

/** @throws NotAllowed if the member wrote it */
function requireOthers(member: SignedIn, { author_id: authorId }: MarkedSolution): void {
	if (!mayVote(member, { authorId })) throw new NotAllowed('This is your own text. Edit it, and say what changed.')
}

async function requireMarkedSolution(commentId: number): Promise<MarkedSolution> {
	const found = isId(commentId) ? await findMarkedSolution(db(), commentId) : undefined
	if (!found) throw new NoSuch('comment')
	return found
}
