import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'

interface LogEntry {
	actorId: number
	act: string
	kind: string
	targetId: number
	/** The author of the text, or the suspended member. */
	memberId: number
	/** The title of its subject at that time. */
	title: string
	why?: string
	/** Details of the action. */
	note?: string
}

/** Logs an action in its transaction. */
export async function addLogRow(trx: Executor, entry: LogEntry): Promise<void> {
	const { actorId, act, kind, targetId, memberId, title, why = '', note = '' } = entry
	await trx
		.insertInto('moderation_log')
		.values({
			actor_id: actorId,
			act,
			kind,
			target_id: targetId,
			// The account may have been deleted since the caller read it.
			member_id: sql`coalesce((select id from users where id = ${memberId} for key share), ${FORMER_MEMBER})`,
			why,
			facts: JSON.stringify({ title, note }),
		})
		.execute()
}
