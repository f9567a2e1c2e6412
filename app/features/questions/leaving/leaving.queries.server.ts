import { type RawBuilder, sql } from 'kysely'
import { accountIdsOf, memberBehind } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { renameInColumns } from '~/platform/db/member-names.queries.server.ts'
import { isDiscussed } from '~/platform/db/posts.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'

/** A member's questions, for their archive. */
export function archivedQuestions(memberId: number): RawBuilder<unknown> {
	return sql`select q.id, q.title, q.description, q.tags, c.slug as category, q.created_at, q.edited_at, q.status, q.status_reason,
			q.score, q.comment_count, q.source, q.source_url, q.licence
		from questions q join categories c on c.id = q.category_id where q.author_id = any(${accountIdsOf(memberId)}) order by q.id`
}

/** Earlier versions of a member's posts, whoever edited them, for their archive. */
export function archivedRevisions(memberId: number): RawBuilder<unknown> {
	return sql`select r.question_id, r.comment_id, r.made_at, r.title, r.description, r.tags, r.category, r.body
		from revisions r join questions q on q.id = r.question_id left join comments c on c.id = r.comment_id
		where case when r.comment_id is null then q.author_id else c.author_id end = any(${accountIdsOf(memberId)}) order by r.id`
}

/** Some comments of these accounts with their questions, newest first: a reply precedes the comment that it answers. */
export async function listCommentsOf(
	accounts: readonly number[],
	limit: number,
): Promise<{ id: number; question_id: number }[]> {
	const { rows } = await sql<{ id: number; question_id: number }>`
		select id, question_id from comments where author_id = any(${[...accounts]}::int[]) order by id desc limit ${limit}`.execute(
		db(),
	)
	return rows
}

/** Some questions of these accounts. */
export async function listQuestionsOf(accounts: readonly number[], limit: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from questions where author_id = any(${[...accounts]}::int[]) order by id limit ${limit}`.execute(db())
	return rows.map(({ id }) => id)
}

export interface LeaverPost {
	status: PostStatus
	category_id: number
	/** Whether others built on it, so that it keeps its text. */
	built_on: boolean
	/** Whether its row has to stay because of replies. */
	needed: boolean
}

/** A question that the caller has locked, with what depends on it. */
export async function findLeaverQuestion(
	trx: Executor,
	id: number,
	accounts: readonly number[],
): Promise<LeaverPost | undefined> {
	const others = sql`exists (select from comments c where c.question_id = q.id and c.author_id <> all(${[...accounts]}::int[])`
	const { rows } = await sql<LeaverPost>`
		select q.status, q.category_id,
			${others} and c.status = 'published') or exists (select from questions other where other.merged_into = q.id) as built_on,
			${others}) or q.merged_into is not null or exists (select from questions other where other.merged_into = q.id) as needed
		from questions q where q.id = ${id} and q.author_id = any(${[...accounts]}::int[])`.execute(trx)
	return rows[0]
}

/** Like {@link findLeaverQuestion}, for a comment of a question that the caller has locked. */
export async function findLeaverComment(
	trx: Executor,
	id: number,
	accounts: readonly number[],
): Promise<Omit<LeaverPost, 'category_id'> | undefined> {
	const { rows } = await sql<LeaverPost>`
		select m.status, m.is_solution or exists (select from comments reply where reply.parent_id = m.id and reply.status = 'published'
				and reply.author_id <> all(${[...accounts]}::int[])) as built_on,
			exists (select from comments reply where reply.parent_id = m.id) as needed
		from comments m where m.id = ${id} and m.author_id = any(${[...accounts]}::int[]) for update`.execute(trx)
	return rows[0]
}

const tableOf = (kind: 'query' | 'comment') => sql.table(kind === 'query' ? 'questions' : 'comments')

/** Transfers a post to the account of former members. @param withVersions whether to keep its earlier versions */
export async function transferPost(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	withVersions: boolean,
): Promise<void> {
	await sql`update ${tableOf(kind)} set author_id = ${FORMER_MEMBER} where id = ${id}`.execute(trx)
	if (withVersions) return
	const ofText = kind === 'query' ? sql`question_id = ${id} and comment_id is null` : sql`comment_id = ${id}`
	await sql`delete from revisions where ${ofText}`.execute(trx)
}

/** Erases a post permanently. One that is needed keeps an empty row without its author. */
export async function erasePost(trx: Executor, kind: 'query' | 'comment', id: number, needed: boolean): Promise<void> {
	if (!needed) {
		await sql`delete from ${tableOf(kind)} where id = ${id}`.execute(trx)
		return
	}
	if (kind === 'query') await keepDeleter(trx, id)
	await transferPost(trx, kind, id, false)
	const texts =
		kind === 'query'
			? sql`title = 'Deleted', description = '', description_html = '', excerpt = '', tags = '{}', search = '', source_url = null`
			: sql`body = '', body_html = ''`
	await sql`update ${tableOf(kind)} set ${texts}, status_reason = '' where id = ${id}`.execute(trx)
}

/**
 * Prepares a deleted question for losing its author: its page still says whether they deleted it, and one on which nobody else had
 * commented stays without a page.
 */
async function keepDeleter(trx: Executor, id: number): Promise<void> {
	await sql`
		update questions q set status_by = case
			when not ${isDiscussed} then null
			when status_by = ${memberBehind(sql.ref('author_id'))} then ${FORMER_MEMBER}
			else status_by end
		where id = ${id} and status = 'deleted'`.execute(trx)
}

/**
 * Marks the deleted questions of these accounts that have no page: once comments belong to the account of former members, nobody can tell
 * that they were all by the asker. Before the first comment is moved, all in one statement; later calls find none. A question whose only
 * comment by somebody else is hidden meanwhile stays without a page when that is restored.
 */
export async function markWithoutPage(accounts: readonly number[]): Promise<void> {
	await sql`
		update questions q set status_by = null
		where q.author_id = any(${[...accounts]}::int[]) and q.status = 'deleted' and q.status_by is not null and not ${isDiscussed}`.execute(
		db(),
	)
}

/**
 * Transfers a batch of these accounts' deletions of others' questions to the account of former members: with nobody recorded as
 * the deleter, a question would lose its page.
 * @returns their number
 */
export async function transferDeletions(accounts: readonly number[], limit: number): Promise<number> {
	const ids = sql`any(${[...accounts]}::int[])`
	const { numAffectedRows } = await sql`
		update questions set status_by = ${FORMER_MEMBER} where id in (
			select id from questions where status_by = ${ids} and status = 'deleted' and not author_id = ${ids}
			order by id limit ${limit} for update)`.execute(db())
	return Number(numAffectedRows ?? 0)
}

/** Posts that were deleted more than `days` ago, and neither erased yet nor in an open case, newest first. */
export async function listDeletedBefore(
	kind: 'query' | 'comment',
	days: number,
	limit: number,
): Promise<{ id: number; question_id: number }[]> {
	const [questionId, isErased] =
		kind === 'query'
			? [sql`post.id`, sql`post.title = 'Deleted' and post.description = ''`]
			: [sql`post.question_id`, sql`post.body = ''`]
	const { rows } = await sql<{ id: number; question_id: number }>`
		select post.id, ${questionId} as question_id from ${tableOf(kind)} post
		where post.status = 'deleted' and post.status_at < now() - make_interval(days => ${days}) and not (${isErased})
			and not exists (select from cases where kind = ${kind} and target_id = post.id and closed_at is null)
		order by post.id desc limit ${limit}`.execute(db())
	return rows
}

/**
 * Whether a post is still deleted, and whether its row has to stay; its question is locked. An imported question stays known, so that
 * importing its file again does not bring it back.
 */
export async function findDeletedPost(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
): Promise<{ needed: boolean } | undefined> {
	const needed =
		kind === 'query'
			? sql`post.source_id is not null or post.merged_into is not null or exists (select from comments where question_id = post.id)
				or exists (select from questions other where other.merged_into = post.id)`
			: sql`exists (select from comments reply where reply.parent_id = post.id)`
	const { rows } = await sql<{ needed: boolean }>`
		select ${needed} as needed from ${tableOf(kind)} post where post.id = ${id} and post.status = 'deleted' for update`.execute(
		trx,
	)
	return rows[0]
}

/** All comments of a question, whatever their status. */
export async function listCommentIds(trx: Executor, questionId: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`select id from comments where question_id = ${questionId}`.execute(trx)
	return rows.map(({ id }) => id)
}

/** Text columns of posts that others see, and how to find the question whose search document contains them. */
const textsWithNames: Parameters<typeof renameInColumns>[0][] = [
	{
		table: 'questions',
		columns: { description: null, description_html: null, excerpt: null, status_reason: null },
		returning: 'id',
	},
	{ table: 'comments', columns: { body: null, body_html: null, status_reason: null }, returning: 'question_id' },
]

/** Replaces usernames in posts, after an at-sign or in an address. @param usernames all of the member's */
export async function renameInTexts(usernames: readonly string[], replacement: string): Promise<void> {
	for (const place of textsWithNames) {
		const changed = await renameInColumns(place, usernames, replacement)
		await db()
			.transaction()
			.execute(async (trx) => {
				// An update that waited for a concurrent comment would rebuild the document without it.
				await sql`select from questions where id = any(${changed}::int[]) order by id for update`.execute(trx)
				await sql`
					update questions set search = whole_document(questions)
					where id = any(${changed}::int[]) and status = 'published'`.execute(trx)
			})
	}
}
