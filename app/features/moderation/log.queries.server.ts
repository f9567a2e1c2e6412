import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/sql-text.server.ts'
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

export interface LogRow {
	id: number
	at: string
	act: string
	kind: string
	target_id: number
	why: string
	title: string
	note: string
	actor_username: string
	actor_name: string
	actor_image: string | null
	member_username: string
	member_name: string
	member_image: string | null
}

/** One page of the log, newest first; for one member, what they did and what was done to them. */
export async function listLogRows(memberId: number | null, before: number | null, limit: number): Promise<LogRow[]> {
	const older = before === null ? sql`` : sql`and id < ${before}`
	const newest = (of: ReturnType<typeof sql>) =>
		sql`(select * from moderation_log where ${of} ${older} order by id desc limit ${limit})`
	const rows_ =
		memberId === null
			? newest(sql`true`)
			: sql`(${newest(sql`actor_id = ${memberId}`)} union ${newest(sql`member_id = ${memberId}`)})`
	const { rows } = await sql<LogRow>`
		select l.id, ${isoSeconds('l.at')} as at, l.act, l.kind, l.target_id, l.why,
			coalesce(l.facts->>'title', '') as title, coalesce(l.facts->>'note', '') as note,
			a.username as actor_username, a.name as actor_name, a.image as actor_image,
			m.username as member_username, m.name as member_name, m.image as member_image
		from ${rows_} l join users a on a.id = l.actor_id join users m on m.id = l.member_id
		order by l.id desc limit ${limit}`.execute(db())
	return rows
}
