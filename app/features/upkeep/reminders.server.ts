import type { NotificationKind, NotificationKindName } from '~/features/notifications/kinds.server.ts'
import { announceUnread, notifyOfFact } from '~/features/notifications/notifications.server.ts'
import { aboutQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { findQuestion } from '~/features/questions/questions.queries.server.ts'
import { eventQuestion } from '~/features/questions/writing/change.server.ts'
import { lockQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { claimReminder, listForgotten } from './reminders.queries.server.ts'

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

/** Questions of one run; the next one goes on with the others. */
const MAX_REMINDERS_PER_RUN = 500

/**
 * Reminds who asked to say what solved their query, three days after somebody else answered it, once. Stopped anywhere, the next run goes on;
 * two at once remind nobody twice.
 * @returns how many were reminded
 */
export async function remindAskers(): Promise<number> {
	let reminded = 0
	for (const id of await listForgotten(MAX_REMINDERS_PER_RUN)) {
		const told = await db()
			.transaction()
			.execute(async (trx) => {
				const row = (await lockQuestion(trx, id)) && (await findQuestion(id, trx))
				if (!row || !(await claimReminder(trx, id))) return []
				const about = { kind: 'reminder' as const, memberIds: [row.author_id], group: `query:${id}` }
				return notifyOfFact(trx, { ...about, ...aboutQuestion(eventQuestion(row), null) })
			})
		await announceUnread(told)
		reminded += told.length
	}
	return reminded
}
