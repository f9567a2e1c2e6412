import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** After so many days without a solution who asked is reminded; a question whose first answer is older is left alone. */
const REMIND_AFTER_DAYS = 3
const REMIND_WITHIN_DAYS = 10
/** Questions that were asked longer ago are not looked at. */
const MAX_AGE_DAYS = 60

/**
 * Questions without a solution that somebody else answered three days ago, and whose asker was not reminded. The index of those with comments
 * and no solution is walked as far as they were asked lately.
 */
export async function listForgotten(limit: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select q.id from questions q
			cross join lateral (select min(m.created_at) as at from comments m
				where m.question_id = q.id and m.status = 'published' and m.author_id <> q.author_id) answered
		where q.status = 'published' and q.comment_count > 0 and not q.solved and q.locked_at is null
			and q.created_at > now() - make_interval(days => ${sql.lit(MAX_AGE_DAYS)})
			and answered.at between now() - make_interval(days => ${sql.lit(REMIND_WITHIN_DAYS)})
				and now() - make_interval(days => ${sql.lit(REMIND_AFTER_DAYS)})
			and not exists (select from solution_reminders r where r.question_id = q.id)
		order by q.created_at desc, q.id desc limit ${limit}`.execute(db())
	return rows.map(({ id }) => id)
}

/** Notes that who asked is reminded. The question is locked. @returns whether it still waits for a solution and they were not reminded before */
export async function claimReminder(trx: Executor, questionId: number): Promise<boolean> {
	const { rows } = await sql`
		insert into solution_reminders (question_id)
		select id from questions where id = ${questionId} and not solved and locked_at is null
		on conflict do nothing returning question_id`.execute(trx)
	return rows.length > 0
}
