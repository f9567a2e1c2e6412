import { sql } from 'kysely'
import { type QuestionRow, questionColumns, questionJoins } from '~/features/questions/questions.queries.server.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'

/** Counts the public questions that a member follows except one: they see no others. The member's row must be locked. */
export async function countFollowedQuestions(trx: Executor, userId: number, except: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from follows join questions q on q.id = question_id
		where user_id = ${userId} and question_id <> ${except} and q.status = 'published'`.execute(trx)
	return rows[0]?.count ?? 0
}

/** Follows or unfollows a question. Idempotent. */
export async function writeQuestionFollow(
	trx: Executor,
	userId: number,
	questionId: number,
	following: boolean,
): Promise<void> {
	if (following)
		await sql`insert into follows (user_id, question_id) values (${userId}, ${questionId}) on conflict do nothing`.execute(
			trx,
		)
	else await sql`delete from follows where user_id = ${userId} and question_id = ${questionId}`.execute(trx)
}

/**
 * Records whether a member has the same problem. A trigger updates the counter of the question, which must be locked. Its statements begin
 * at once.
 * @returns the counter
 */
export async function writeAffected(
	trx: Executor,
	userId: number,
	questionId: number,
	affected: boolean,
): Promise<number> {
	const change = affected
		? sql`insert into affected_members (user_id, question_id) values (${userId}, ${questionId}) on conflict do nothing`
		: sql`delete from affected_members where user_id = ${userId} and question_id = ${questionId}`
	const counter = sql<{ count: number }>`
		select affected_count as count from questions where id = ${questionId}`
	const [, { rows }] = await Promise.all([change.execute(trx), counter.execute(trx)])
	return rows[0]?.count ?? 0
}

export interface FollowedRow extends QuestionRow {
	/** ISO 8601 with microseconds, so that a cursor is exact. */
	followed_at: string
}

/** The public questions that a member follows, last followed first. */
export async function listFollowedQuestionRows(
	userId: number,
	{ cursor, limit }: { cursor: TimeCursor | null; limit: number },
): Promise<FollowedRow[]> {
	const { rows } = await sql<FollowedRow>`
		select ${questionColumns}, ${isoTime('f.followed_at')} as followed_at
		from follows f join questions q on q.id = f.question_id ${questionJoins}
		where f.user_id = ${userId} and f.question_id is not null and q.status = 'published'
			${cursor ? sql`and (f.followed_at, f.question_id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by f.followed_at desc, f.question_id desc limit ${limit}`.execute(db())
	return rows
}

/** The stored counters of affected members. */
export const affectedCounters: readonly Counter[] = [
	{
		table: 'questions',
		column: 'affected_count',
		actual: sql`(select count(*) from affected_members a where a.question_id = t.id)`,
	},
]
