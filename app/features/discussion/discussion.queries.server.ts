import { sql } from 'kysely'
import { isDiscussed, questionJoins } from '~/features/questions/questions.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'

/** A deleted comment of a question that stands. */
export async function findDeletedComment(
	id: number,
	within: number,
): Promise<{ question_id: number; status_by: number | null; recent: boolean } | undefined> {
	const { rows } = await sql<{ question_id: number; status_by: number | null; recent: boolean }>`
		select question_id, status_by, status_at > now() - make_interval(secs => ${within}) as recent
		from comments where id = ${id} and status = 'deleted'`.execute(db())
	return rows[0]
}

export interface CommentPlaceRow {
	id: number
	question_id: number
	parent_id: number | null
	depth: number
	username: string
	category_slug: string
	/** Threads before its own, siblings before it, comments of the query: counted as far as a page reaches. */
	heads_before: number
	siblings_before: number
	comments: number
}

/** Where a comment is to be seen; undefined when it is not: deleted without replies, or its question is gone. */
export async function findCommentPlace(
	id: number,
	threads: number,
	comments: number,
): Promise<CommentPlaceRow | undefined> {
	const { rows } = await sql<CommentPlaceRow>`
		select m.id, m.question_id, m.parent_id, m.depth, u.username, c.slug as category_slug,
			(select count(*)::int from (select 1 from comments h where h.question_id = m.question_id and h.parent_id is null
				and h.id < m.path[1] limit ${threads}) x) as heads_before,
			(select count(*)::int from (select 1 from comments s where s.parent_id = m.parent_id and s.id < m.id limit ${threads}) x) as siblings_before,
			(select count(*)::int from (select 1 from comments a where a.question_id = m.question_id limit ${comments + 1}) x) as comments
		from comments m join questions q on q.id = m.question_id ${questionJoins}
		where m.id = ${id} and (q.status = 'published' or ${isDiscussed})
			and (m.status = 'published' or exists (select 1 from comments r where r.parent_id = m.id and r.status = 'published'))`.execute(
		db(),
	)
	return rows[0]
}

/** Whether a question stands in the forum, for everybody to read. */
export async function isOpenQuestion(id: number): Promise<boolean> {
	const row = await db()
		.selectFrom('questions')
		.select('id')
		.where('id', '=', id)
		.where('status', '=', 'published')
		.executeTakeFirst()
	return row !== undefined
}

/** What others than this member wrote under a question after a comment, oldest first, at most a hundred. */
export async function listNewerComments(questionId: number, after: number, exceptOf: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from comments where question_id = ${questionId} and id > ${after} and author_id <> ${exceptOf} and status = 'published'
		order by id limit 100`.execute(db())
	return rows.map(({ id }) => id)
}
