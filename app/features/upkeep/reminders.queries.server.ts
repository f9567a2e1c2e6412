import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Days without a solution after the first answer, until the asker is reminded. */
const REMIND_AFTER_DAYS = 3
const REMIND_WITHIN_DAYS = 10
/** Older questions are ignored. */
const MAX_AGE_DAYS = 60

/**
 * Questions without a solution, first answered by somebody else three days ago, whose asker was not reminded. Scans the index of unsolved
 * questions with comments back to the maximum age.
 */
export async function listRemindable(limit: number): Promise<number[]> {
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

/** Records a reminder; the question must be locked. @returns whether it is still unsolved and there was no reminder before */
export async function claimReminder(trx: Executor, questionId: number): Promise<boolean> {
	const { rows } = await sql`
		insert into solution_reminders (question_id)
		select id from questions where id = ${questionId} and not solved and locked_at is null
		on conflict do nothing returning question_id`.execute(trx)
	return rows.length > 0
}
