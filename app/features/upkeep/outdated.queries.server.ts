import { type RawBuilder, sql } from 'kysely'
import { memberBehind } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import { MIN_OUTDATED, type OutdatedReason, type OutdatedView } from './upkeep.view.ts'

/** Reports about a comment's present text, by members who are not suspended; `m` must be the comment in the statement. */
const standing = sql`from outdated_marks o join users said on said.id = o.user_id and coalesce(said.suspended_until <= now(), true)
	where o.comment_id = m.id and o.version = m.version`

/** An SQL expression: the warning about a comment `m`; null unless it is a solution with enough reports. */
export const outdatedColumn: RawBuilder<OutdatedView | null> = sql`case when m.is_solution then (
	select jsonb_build_object('count', count(*), 'at', ${isoTime('max(o.said_at)')},
		'reason', coalesce((array_agg(o.reason order by o.said_at desc) filter (where o.reason <> ''))[1], ''))
	${standing} having count(*) >= ${sql.lit(MIN_OUTDATED)}) end`

/**
 * An SQL expression: those of these comments whose present text a member has reported, as rows of `comment_id`.
 * @param commentIds an array
 */
export function outdatedBy(userId: number, commentIds: RawBuilder<number[]>): RawBuilder<{ comment_id: number }> {
	return sql`(select o.comment_id from outdated_marks o join comments m on m.id = o.comment_id and m.version = o.version
		where o.user_id = ${userId} and o.comment_id = any(${commentIds}))`
}

/** A solution that a member reports, with its question. */
export interface MarkedSolution {
	question_id: number
	/** The member; for a pseudonym the one behind it. */
	author_id: number
	version: number
	is_solution: boolean
}

/** Finds a public comment. A caller that writes must have locked its question. */
export async function findMarkedSolution(executor: Executor, id: number): Promise<MarkedSolution | undefined> {
	const { rows } = await sql<MarkedSolution>`
		select m.question_id, ${memberBehind(sql.ref('m.author_id'))} as author_id, m.version, m.is_solution from comments m join questions q on q.id = m.question_id
		where m.id = ${id} and m.status = 'published' and q.status = 'published'`.execute(executor)
	return rows[0]
}

/** Stores a member's report about a version of a comment, and replaces an earlier one. */
export async function writeOutdated(
	trx: Executor,
	mark: { commentId: number; userId: number; version: number; reason: OutdatedReason },
): Promise<void> {
	await sql`
		insert into outdated_marks (comment_id, user_id, version, reason)
		values (${mark.commentId}, ${mark.userId}, ${mark.version}, ${mark.reason})
		on conflict (comment_id, user_id) do update set reason = excluded.reason, version = excluded.version,
			said_at = case when outdated_marks.version = excluded.version then outdated_marks.said_at else now() end`.execute(
		trx,
	)
}

/** Withdraws a member's report about a comment. */
export async function removeOutdated(userId: number, commentId: number): Promise<void> {
	await sql`delete from outdated_marks where comment_id = ${commentId} and user_id = ${userId}`.execute(db())
}

/**
 * Marks a version of a comment as announced to the author and the asker, once it has enough reports.
 * @returns whether they are to be notified now
 */
export async function claimOutdatedNotice(trx: Executor, commentId: number): Promise<boolean> {
	const { rows } = await sql`
		insert into outdated_told (comment_id, version)
		select m.id, m.version from comments m where m.id = ${commentId} and (select count(*) ${standing}) >= ${MIN_OUTDATED}
		on conflict (comment_id) do update set version = excluded.version where outdated_told.version <> excluded.version
		returning comment_id`.execute(trx)
	return rows.length > 0
}
