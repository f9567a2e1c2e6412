import { type RawBuilder, sql } from 'kysely'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { isDiscussed } from '~/platform/db/posts.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'

export interface AnswerRow {
	id: number
	title: string
	excerpt: string
	is_solution: boolean
	score: number
	created_at: string
}

/** Which of a member's comments: those below a question itself, those that were accepted, or those below other comments. */
export type AnswerKind = 'answers' | 'solutions' | 'comments'

const ofKind: Record<AnswerKind, RawBuilder<unknown>> = {
	answers: sql`and m.parent_id is null`,
	solutions: sql`and m.is_solution`,
	comments: sql`and m.parent_id is not null`,
}

export interface AnswerRowsInput {
	/** A username in lower case. */
	author: string
	which: AnswerKind
	/** Whether to include those under pseudonyms, and below queries that were merged or deleted: only in the author's own list. */
	mine: boolean
	after: TimeCursor | null
	/** At most 50. */
	limit: number
}

/** A member's published comments, newest first. */
export async function listAnswerRows({ author, which, mine, after, limit }: AnswerRowsInput): Promise<AnswerRow[]> {
	const member = sql<number>`(select id from users where username = ${author})`
	const { rows } = await sql<AnswerRow>`
		select m.id, case when q.status = 'deleted' then '[deleted]' else q.title end as title, left(text_of_html(left(m.body_html, 1000)), 300) as excerpt, m.is_solution, m.score,
			${isoTime('m.created_at')} as created_at
		from comments m join questions q on q.id = m.question_id
		where ${mine ? sql`m.author_id = any(${accountIdsOf(member)})` : sql`m.author_id = ${member}`} and m.status = 'published'
			and ${mine ? sql`(q.status in ('published', 'merged') or ${isDiscussed})` : sql`q.status = 'published'`}
			${ofKind[which]}
			${after ? sql`and (m.created_at, m.id) < (${after.at}::timestamptz, ${after.id})` : sql``}
		order by m.created_at desc, m.id desc limit ${limit}`.execute(db())
	return rows
}

/** How many published questions and comments of each kind a member has; each counted up to `limit`. */
export async function countPostRows(author: string, limit: number): Promise<Record<'queries' | AnswerKind, number>> {
	// Nearly all questions are published: looking for others, in an index of these alone, spares reading the questions.
	const isPublished = (id: string) => sql`
		(select other.id from questions other where other.id = ${sql.ref(id)} and other.status <> 'published') is null`
	const comments = (which: AnswerKind) => sql`(select count(*)::int from (
		select from comments m where m.author_id = author.id and m.status = 'published' ${ofKind[which]}
			and ${isPublished('m.question_id')} limit ${limit}) x)`
	const { rows } = await sql<Record<'queries' | AnswerKind, number>>`
		select (select count(*)::int from (
				select from questions q where q.author_id = author.id and ${isPublished('q.id')} limit ${limit}) x) as queries,
			${comments('answers')} as answers, ${comments('solutions')} as solutions, ${comments('comments')} as comments
		from users author where username = ${author}`.execute(db())
	return rows[0] ?? { queries: 0, answers: 0, solutions: 0, comments: 0 }
}
