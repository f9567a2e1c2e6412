import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'

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

export interface LogConditions {
	/** What this member did, and what was done to them; null for everybody. */
	memberId: number | null
	/** The name of an action; '' for all. */
	act: string
	/** From this moment on, and before that one; null for any time. */
	since: Date | null
	until: Date | null
}

/** One page of the log, newest first. @param before the id of the last entry of the page before */
export async function listLogRows(
	{ memberId, act, since, until }: LogConditions,
	before: number | null,
	limit: number,
): Promise<LogRow[]> {
	const conditions = [
		...(before === null ? [] : [sql`id < ${before}`]),
		...(act ? [sql`act = ${act}`] : []),
		...(since ? [sql`at >= ${since}`] : []),
		...(until ? [sql`at < ${until}`] : []),
	]
	const newest = (of: ReturnType<typeof sql>) =>
		sql`(select * from moderation_log where ${sql.join([of, ...conditions], sql` and `)} order by id desc limit ${limit})`
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

/** The names of all actions in the log, in alphabetical order. */
export async function listLoggedActs(): Promise<string[]> {
	const { rows } = await sql<{ act: string }>`select distinct act from moderation_log order by act`.execute(db())
	return rows.map(({ act }) => act)
}
