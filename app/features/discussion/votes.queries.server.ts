import { sql } from 'kysely'
import { bookmarksOn } from '~/features/bookmarks/bookmarks.queries.server.ts'
import { askedOn } from '~/features/routing/choosing.queries.server.ts'
import { type AskedView, NOBODY_ASKED } from '~/features/routing/routing.view.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** What a vote counts: up, down, or nothing. */
export type Vote = 1 | 0 | -1

/** What is voted on. */
export interface VoteTarget {
	questionId: number
	/** null for the question itself. */
	commentId: number | null
}

/** Makes this the member's vote on a target that is locked. The score follows by trigger. @returns the score after it */
export async function writeVote(
	trx: Executor,
	userId: number,
	{ questionId, commentId }: VoteTarget,
	vote: Vote,
): Promise<number> {
	const onQuestion = commentId === null
	const table = sql.table(onQuestion ? 'question_votes' : 'comment_votes')
	const column = sql.ref(onQuestion ? 'question_id' : 'comment_id')
	const id = commentId ?? questionId
	if (vote === 0) await sql`delete from ${table} where user_id = ${userId} and ${column} = ${id}`.execute(trx)
	else
		await sql`
			insert into ${table} as mine (user_id, ${column}, value) values (${userId}, ${id}, ${vote})
			on conflict (user_id, ${column}) do update set value = excluded.value, voted_at = now()
			where mine.value <> excluded.value`.execute(trx)
	const { rows } = await sql<{ score: number }>`
		select score from ${sql.table(onQuestion ? 'questions' : 'comments')} where id = ${id}`.execute(trx)
	return rows[0]?.score ?? 0
}

/** What one member did with a question, by null, and with its comments, by their ids. */
export interface Marks {
	/** Those without a vote are missing. */
	votes: ReadonlyMap<number | null, Vote>
	bookmarked: ReadonlySet<number | null>
	asked: AskedView
}

/** A member's votes on a question and these comments, what they bookmarked on its page, and who was asked, in one statement. */
export async function readMarks(userId: number, questionId: number, commentIds: number[]): Promise<Marks> {
	const { rows } = await sql<{ comment_id: number | null; value: Vote | null; asked: AskedView | null }>`
		select comment_id, value, null::jsonb as asked from comment_votes where user_id = ${userId} and comment_id = any(${commentIds}::int[])
		union all
		select null, value, null from question_votes where user_id = ${userId} and question_id = ${questionId}
		union all
		select comment_id, null, null from ${bookmarksOn(userId, questionId)} kept
		union all
		select null, null, asked from ${askedOn(userId, questionId)} routing`.execute(db())
	return {
		votes: new Map(rows.flatMap(({ comment_id, value }) => (value === null ? [] : [[comment_id, value] as const]))),
		bookmarked: new Set(
			rows.filter(({ value, asked }) => value === null && asked === null).map((row) => row.comment_id),
		),
		asked: rows.find(({ asked }) => asked !== null)?.asked ?? NOBODY_ASKED,
	}
}

/** Chooses a comment as a solution of its question, or no longer. Both are locked. */
export async function writeSolution(trx: Executor, target: { questionId: number; commentId: number }, chosen: boolean) {
	const { questionId, commentId } = target
	await sql`
		update comments set is_solution = ${chosen}, chosen_at = case when ${chosen}::boolean then now() end
		where id = ${commentId} and is_solution <> ${chosen}`.execute(trx)
	await sql`
		update questions set solved = exists (select 1 from comments where question_id = ${questionId} and is_solution and status = 'published')
		where id = ${questionId}`.execute(trx)
}

/** Scores, which triggers update. That of an imported text begins with what its source gave, which is stored nowhere else. */
export const scoreCounters: readonly Counter[] = [
	{
		table: 'questions',
		column: 'score',
		where: sql`t.source is null`,
		actual: sql`(select coalesce(sum(v.value), 0) from question_votes v where v.question_id = t.id)`,
	},
	{
		table: 'comments',
		column: 'score',
		where: sql`t.source_id is null and exists (select from questions q where q.id = t.question_id and q.source is null)`,
		actual: sql`(select coalesce(sum(v.value), 0) from comment_votes v where v.comment_id = t.id)`,
	},
]
