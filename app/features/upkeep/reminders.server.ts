import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import { announceUnread, notifyOfFact } from '~/features/notifications/notifications.server.ts'
import { aboutQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { eventQuestion } from '~/features/questions/questions.events.ts'
import { findQuestion } from '~/features/questions/questions.queries.server.ts'
import { lockQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { claimReminder, listRemindable } from './reminders.queries.server.ts'

declare module '~/features/notifications/kinds.server.ts' {
	interface NotificationKinds {
		reminder: never
	}
}

export const reminderKinds = {
	reminder: {
		label: 'A reminder to say what solved my query',
		order: 48,
		by: 'A reminder',
		words: 'to say what solved',
	},
} as const satisfies Partial<Record<NotificationKindName, NotificationKind>>

/** Questions per run; the next one continues. */
const MAX_REMINDERS_PER_RUN = 500

/**
 * Reminds askers to mark the solution, once, three days after somebody else answered. A run can be interrupted and continued, and
 * concurrent runs remind nobody twice. A question whose asker cannot be reminded is left out until the next run.
 * @returns the number of reminders
 * @throws the last error, if a question was left out
 */
export async function remindAskers(): Promise<number> {
	const run = new BatchRun('the asker of a question could not be reminded')
	let reminded = 0
	await run.each(await listRemindable(MAX_REMINDERS_PER_RUN), Number, async (id) => {
		reminded += await remindAsker(id)
	})
	run.finish()
	return reminded
}

/** @returns the number of reminders, 0 for a question that needs none by now */
async function remindAsker(questionId: number): Promise<number> {
	const notified = await db()
		.transaction()
		.execute(async (trx) => {
			const row = (await lockQuestion(trx, questionId)) && (await findQuestion(questionId, trx))
			if (!row || !(await claimReminder(trx, questionId))) return []
			const about = { kind: 'reminder' as const, memberIds: [row.author_id], group: `query:${questionId}` }
			return notifyOfFact(trx, { ...about, ...aboutQuestion(eventQuestion(row), null) })
		})
	await announceUnread(notified)
	return notified.length
}
