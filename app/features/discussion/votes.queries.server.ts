import { sql } from 'kysely'
import { bookmarksOn } from '~/features/bookmarks/bookmarks.queries.server.ts'
import { askedOn } from '~/features/routing/choosing.queries.server.ts'
import { type AskedView, NOBODY_ASKED } from '~/features/routing/routing.view.ts'
import { isInvited } from '~/features/upkeep/invitations.queries.server.ts'
import { outdatedBy } from '~/features/upkeep/outdated.queries.server.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor, idArray } from '~/platform/db/db.server.ts'

/** The value of a vote: up, down, or none. */
export type Vote = 1 | 0 | -1

/** The target of a vote. */
export interface VoteTarget {
	questionId: number
	/** null for the question itself. */
	commentId: number | null
}

/** Stores the member's vote on a locked target. Triggers update the score. @returns the new score */
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
	const change =
		vote === 0
			? sql`delete from ${table} where user_id = ${userId} and ${column} = ${id}`
			: sql`insert into ${table} as mine (user_id, ${column}, value) values (${userId}, ${id}, ${vote})
				on conflict (user_id, ${column}) do update set value = excluded.value, voted_at = now() where mine.value <> excluded.value`
	const score = sql<{ score: number }>`
		select score from ${sql.table(onQuestion ? 'questions' : 'comments')} where id = ${id}`
	const [, { rows }] = await Promise.all([change.execute(trx), score.execute(trx)])
	return rows[0]?.score ?? 0
}

/** A member's own state of a question, under the key null, and of its comments, by id. */
export interface Marks {
	/** Those without a vote are missing. */
	votes: ReadonlyMap<number | null, Vote>
	bookmarked: ReadonlySet<number | null>
	/** Comments that the member marked as no longer working. */
	outdated: ReadonlySet<number | null>
	/** Whether the member follows the question, and whether they have the same problem. */
	following: boolean
	affected: boolean
	/** Whether somebody asked the member to answer it, and they neither declined nor commented there. */
	invited: boolean
	/** The members who were asked, as far as this member sees them. */
	asked: AskedView
}

/** A member's own state of a question and these comments, and who was asked, in one statement. */
export async function readMarks(userId: number, questionId: number, commentIds: number[]): Promise<Marks> {
	const { rows } = await sql<{
		mark: 'vote' | 'bookmark' | 'follow' | 'affected' | 'outdated' | 'invited' | 'asked'
		comment_id: number | null
		value: Vote
		asked: AskedView | null
	}>`
		select 'vote' as mark, comment_id, value, null::jsonb as asked from comment_votes
		where user_id = ${userId} and comment_id = any(${idArray(commentIds)})
		union all
		select 'vote', null, value, null from question_votes where user_id = ${userId} and question_id = ${questionId}
		union all
		select 'bookmark', comment_id, 0, null from ${bookmarksOn(userId, questionId)} kept
		union all
		select 'outdated', comment_id, 0, null from ${outdatedBy(userId, idArray(commentIds))} said
		union all
		select 'follow', null, 0, null from follows where user_id = ${userId} and question_id = ${questionId}
		union all
		select 'invited', null, 0, null where ${isInvited(userId, questionId)}
		union all
		select 'affected', null, 0, null from affected_members where user_id = ${userId} and question_id = ${questionId}
		union all
		select 'asked', null, 0, asked from ${askedOn(userId, questionId)} routing`.execute(db())
	const of = (mark: (typeof rows)[number]['mark']) => rows.filter((row) => row.mark === mark)
	return {
		votes: new Map(of('vote').map(({ comment_id, value }) => [comment_id, value])),
		bookmarked: new Set(of('bookmark').map(({ comment_id }) => comment_id)),
		outdated: new Set(of('outdated').map(({ comment_id }) => comment_id)),
		following: of('follow').length > 0,
		affected: of('affected').length > 0,
		invited: of('invited').length > 0,
		asked: of('asked')[0]?.asked ?? NOBODY_ASKED,
	}
}

/** Accepts a comment as a solution of its question, or undoes that. Both are locked. */
export async function writeSolution(trx: Executor, target: { questionId: number; commentId: number }, chosen: boolean) {
	const { questionId, commentId } = target
	const comment = sql`
		update comments set is_solution = ${chosen}, chosen_at = case when ${chosen}::boolean then now() end
		where id = ${commentId} and is_solution <> ${chosen}`
	const question = sql`
		update questions set solved = exists (select 1 from comments where question_id = ${questionId} and is_solution and status = 'published')
		where id = ${questionId}`
	await Promise.all([comment.execute(trx), question.execute(trx)])
}

/** Scores, which triggers update. That of an imported text starts with the source's score, which is stored nowhere else. */
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
