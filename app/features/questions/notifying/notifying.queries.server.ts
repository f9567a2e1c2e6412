import { sql } from 'kysely'
import { memberBehind } from '~/features/members/pseudonyms.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/** The member who asked a question; null when it is gone, or its author was imported: nothing notifies such an account. */
export async function findAsker(trx: Executor, questionId: number): Promise<number | null> {
	const { rows } = await sql<{ id: number | null }>`
		select coalesce(u.pseudonym_of, case when not u.imported then u.id end) as id
		from questions q join users u on u.id = q.author_id where q.id = ${questionId}`.execute(trx)
	return rows[0]?.id ?? null
}

/** The author of a comment of this question; null when it is gone, or none of them. */
export async function findCommentAuthor(
	trx: Executor,
	{ questionId, commentId }: { questionId: number; commentId: number },
): Promise<number | null> {
	const { rows } = await sql<{ author_id: number }>`
		select ${memberBehind(sql.ref('author_id'))} as author_id from comments
		where id = ${commentId} and question_id = ${questionId} and status = 'published'`.execute(trx)
	return rows[0]?.author_id ?? null
}

/** A published comment of a published question, with what its notifications need. */
export interface CommentFacts {
	/** The member. */
	author_id: number
	parent_id: number | null
	body: string
	/** Whether it was written within the last days. */
	is_recent: boolean
}

/** The shortest time, in days, for which notifications may be stored: afterwards nothing tells who was notified of a comment. */
const RECENT_DAYS = 7

/** Like {@link CommentFacts}; undefined when there is none. */
export async function findCommentFacts(trx: Executor, commentId: number): Promise<CommentFacts | undefined> {
	const { rows } = await sql<CommentFacts>`
		select ${memberBehind(sql.ref('m.author_id'))} as author_id, m.parent_id, m.body,
			m.created_at > now() - make_interval(days => ${sql.lit(RECENT_DAYS)}) as is_recent
		from comments m join questions q on q.id = m.question_id
		where m.id = ${commentId} and m.status = 'published' and q.status = 'published'`.execute(trx)
	return rows[0]
}

/** The ids of members by username in lower case; for a pseudonym, the member behind it. */
export async function listMemberIds(trx: Executor, usernames: string[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select distinct coalesce(pseudonym_of, id) as id from users join usernames on usernames.user_id = users.id
		where usernames.username = any(${usernames})`.execute(trx)
	return rows.map((row) => row.id)
}

/** Whether a question is still published; it stays so until the transaction ends. */
export async function lockPublishedQuestion(trx: Executor, id: number): Promise<boolean> {
	const { rows } = await sql`select from questions where id = ${id} and status = 'published' for key share`.execute(trx)
	return rows.length > 0
}

/** Followers of a question by id. @param after the last id of the previous page */
export async function listQuestionFollowers(
	trx: Executor,
	questionId: number,
	after: number,
	limit: number,
): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		select user_id from follows where question_id = ${questionId} and user_id > ${after} order by user_id limit ${limit}`.execute(
		trx,
	)
	return rows.map((row) => row.user_id)
}

/** Followers of one of these tags or the category, by id. @param after the last id of the previous page */
export async function listTagFollowers(
	trx: Executor,
	{ tags, category, after, limit }: { tags: string[]; category: string; after: number; limit: number },
): Promise<number[]> {
	// Followers of several of the tags have several rows.
	const most = limit * Math.max(tags.length, 1)
	const { rows } = await sql<{ user_id: number }>`
		(select user_id from follows where user_id > ${after}
			and tag_id = any(array(select id from tags where name = any(${tags}))) order by user_id limit ${most})
		union
		(select user_id from follows where user_id > ${after}
			and category_id = category_at(${category}) order by user_id limit ${limit})
		order by user_id limit ${limit}`.execute(trx)
	return rows.map((row) => row.user_id)
}
