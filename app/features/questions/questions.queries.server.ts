import { sql } from 'kysely'
import { bookmarksOn } from '~/features/bookmarks/bookmarks.queries.server.ts'
import { type AuthorRow, accountIdsOf, authorColumns } from '~/features/members/pseudonyms.queries.server.ts'
import type { QuestionAddress } from '~/features/search/search.view.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isDiscussed } from '~/platform/db/posts.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'

/** A row of a list, with everything that its card shows. Times are text with microseconds, so that cursors are exact. */
export interface QuestionRow extends AuthorRow {
	id: number
	title: string
	excerpt: string
	tags: string[]
	created_at: string
	active_at: string
	comment_count: number
	score: number
	solved: boolean
	category_slug: string
	category_title: string
}

export interface QuestionPageRow extends QuestionRow {
	description: string
	description_html: string
	version: number
	edited_at: string | null
	source_url: string | null
	licence: string | null
	/** Whether comments are closed. */
	locked: boolean
	/** How many members besides the author have the same problem. */
	affected_count: number
}

/** The columns and joins of {@link QuestionRow}; the statement must call `questions` `q`. */
export const questionColumns = sql<QuestionRow>`
	q.id, q.title, q.excerpt, q.tags, ${isoTime('q.created_at')} as created_at, ${isoTime('q.active_at')} as active_at,
	q.comment_count, q.score, q.solved, ${authorColumns}, c.slug as category_slug, c.title as category_title`
/** The columns of {@link QuestionPageRow}. */
export const questionPageColumns = sql`${questionColumns}, q.description, q.description_html, q.version, ${isoTime('q.edited_at')} as edited_at,
	q.source_url, q.licence, q.locked_at is not null as locked, q.affected_count`
export const questionJoins = sql`join users u on u.id = q.author_id join categories c on c.id = q.category_id`

/** The parameter `view` of lists: order or filter. */
export type ListView = 'newest' | 'active' | 'unanswered' | 'unsolved' | 'solved'

interface ListFilter {
	view: ListView
	categoryId?: number
	authorId?: number
	/** Whether to include questions that the author asked under pseudonyms: only in the author's own list. */
	mine?: boolean
	cursor: TimeCursor | null
	limit: number
}

/** One page of a list in chronological order: one range scan of one index, whatever the size of the forum. */
export async function listRows({
	view,
	categoryId,
	authorId,
	mine,
	cursor,
	limit,
}: ListFilter): Promise<QuestionRow[]> {
	const at = sql.raw(view === 'active' ? 'q.active_at' : 'q.created_at')
	const { rows } = await sql<QuestionRow>`
		select ${questionColumns} from questions q ${questionJoins}
		where q.status = 'published'
		${categoryId === undefined ? sql`` : sql`and q.category_id = ${categoryId}`}
		${authorId === undefined ? sql`` : mine ? sql`and q.author_id = any(${accountIdsOf(authorId)})` : sql`and q.author_id = ${authorId}`}
		${view === 'unanswered' ? sql`and q.comment_count = 0` : sql``}
		${view === 'unsolved' ? sql`and q.comment_count > 0 and not q.solved` : sql``}
		${view === 'solved' ? sql`and q.solved` : sql``}
		${cursor ? sql`and (${at}, q.id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by ${at} desc, q.id desc limit ${limit}`.execute(db())
	return rows
}

/** The questions of a member, also those under pseudonyms, that wait for a moderator: the 50 newest. */
export async function listPendingRows(authorId: number): Promise<QuestionRow[]> {
	const { rows } = await sql<QuestionRow>`
		select ${questionColumns} from questions q ${questionJoins}
		where q.status = 'pending' and q.author_id = any(${accountIdsOf(authorId)})
		order by q.created_at desc, q.id desc limit 50`.execute(db())
	return rows
}

interface TagFilter {
	tagId: number
	view: ListView
	cursor: TimeCursor | null
	limit: number
}

/** One page of a tag's questions: one range scan of an index of question_tags, then row lookups by key. */
export async function listTagRows({ tagId, view, cursor, limit }: TagFilter): Promise<QuestionRow[]> {
	const at = sql.raw(view === 'active' ? 't.active_at' : 't.created_at')
	const { rows } = await sql<QuestionRow>`
		select ${questionColumns} from question_tags t join questions q on q.id = t.question_id ${questionJoins}
		where t.tag_id = ${tagId} and q.status = 'published'
		${view === 'unanswered' ? sql`and t.unanswered` : sql``}
		${view === 'unsolved' ? sql`and not t.unanswered and not t.solved` : sql``}
		${view === 'solved' ? sql`and t.solved` : sql``}
		${cursor ? sql`and (${at}, t.question_id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by ${at} desc, t.question_id desc limit ${limit}`.execute(db())
	return rows
}

/** The title, address and author of a question. */
export interface NamedQuestion
	extends Pick<QuestionRow, 'id' | 'title' | 'tags' | 'author_id' | 'pseudonym_id' | 'username' | 'category_slug'> {
	/** Whether a moderator closed it for comments. */
	locked: boolean
}

/** Like {@link findQuestion}, without its texts, which may be long. */
export async function findNamedQuestion(id: number): Promise<NamedQuestion | undefined> {
	const { rows } = await sql<NamedQuestion>`
		select q.id, q.title, q.tags, ${authorColumns}, c.slug as category_slug, q.locked_at is not null as locked
		from questions q ${questionJoins} where q.id = ${id} and q.status = 'published'`.execute(db())
	return rows[0]
}

/**
 * Locks a published question for a new comment, then allocates the comment's id, so that comments are in the order of their ids.
 * @returns undefined when there is no such question; `locked`: whether a moderator closed it for comments
 */
export async function lockForComment(trx: Executor, id: number): Promise<{ id: number; locked: boolean } | undefined> {
	const { rows } = await sql<{ id: number; locked: boolean }>`
		with held as materialized (
			select locked_at is not null as locked from questions where id = ${id} and status = 'published' for update)
		select nextval(pg_get_serial_sequence('comments', 'id'))::int as id, locked from held`.execute(trx)
	return rows[0]
}

/** A question with its texts; undefined when there is none or it was deleted. */
export async function findQuestion(id: number, executor: Executor = db()): Promise<QuestionPageRow | undefined> {
	const { rows } = await sql<QuestionPageRow>`
		select ${questionPageColumns} from questions q ${questionJoins} where q.id = ${id} and q.status = 'published'`.execute(
		executor,
	)
	return rows[0]
}

/** The question with the most comments among the newest 200 since a given time; undefined when none has any. */
export async function findMostDiscussed(since: Date): Promise<QuestionPageRow | undefined> {
	const { rows } = await sql<QuestionPageRow>`
		select ${questionPageColumns}
		from (select * from questions where status = 'published' and created_at >= ${since} order by created_at desc, id desc limit 200) q ${questionJoins}
		where q.comment_count > 0 order by q.comment_count desc, q.id desc limit 1`.execute(db())
	return rows[0]
}

/** The number of questions, from a counter that each write updates. */
export async function readQuestionCount(): Promise<number> {
	const counter = await db().selectFrom('counters').select('value').where('name', '=', 'questions').executeTakeFirst()
	return Number(counter?.value ?? 0)
}

/** How many questions were asked since a time; at most 1,000. */
export async function countSince(since: Date): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from (select 1 from questions where status = 'published' and created_at >= ${since} limit 1000) recent`.execute(
		db(),
	)
	return rows[0]?.count ?? 0
}

/** Addresses for the sitemap: ids in [from, from + 5,000). */
export async function listQuestionAddresses(from: number): Promise<(QuestionAddress & { changed_at: string })[]> {
	const { rows } = await sql<QuestionAddress & { changed_at: string }>`
		select q.id, q.title, u.username, c.slug as category_slug, ${isoTime('greatest(q.active_at, q.edited_at)')} as changed_at from questions q ${questionJoins}
		where q.id >= ${from} and q.id < ${from + 5_000} and q.status = 'published' order by q.id`.execute(db())
	return rows
}

/** The highest id of any question, which bounds the pages of the sitemap. */
export async function highestId(): Promise<number> {
	const row = await db().selectFrom('questions').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
	return row?.id ?? 0
}

/** A deleted question, with who deleted it. */
export interface DeletedRow extends QuestionPageRow {
	status_by: number | null
	/** Whether its page still shows the comments of others. */
	discussed: boolean
	/** Whether its author may still undo the deletion. */
	recent: boolean
	/** Whether its text was erased permanently. */
	erased: boolean
	/** The question that it was merged into when its author deleted it. */
	was_merged_into: number | null
}

/** A deleted question; undefined when there is none. @param within seconds that count as recent */
export async function findDeletedQuestion(id: number, within: number): Promise<DeletedRow | undefined> {
	const { rows } = await sql<DeletedRow>`
		select ${questionPageColumns}, q.status_by, ${isDiscussed} as discussed, q.status_at > now() - make_interval(secs => ${within}) as recent,
			q.description = '' as erased, q.was_merged_into
		from questions q ${questionJoins} where q.id = ${id} and q.status = 'deleted'`.execute(db())
	return rows[0]
}

/** Locks a deleted question whose text is not erased. @returns undefined where that has changed */
export async function lockDeletedQuestion(
	trx: Executor,
	id: number,
): Promise<{ was_merged_into: number | null; status_reason: string } | undefined> {
	return trx
		.selectFrom('questions')
		.select(['was_merged_into', 'status_reason'])
		.where('id', '=', id)
		.where('status', '=', 'deleted')
		.where('description', '<>', '')
		.forUpdate()
		.executeTakeFirst()
}

/** A member's own state of a question. */
export interface QuestionMarks {
	vote: 1 | 0 | -1
	bookmarked: boolean
	/** Whether they follow it, and whether they have the same problem. */
	following: boolean
	affected: boolean
	/** Whether another member asked them to answer it, and they have neither declined nor commented there. */
	invited: boolean
}

/** A member's own state of a question. */
export async function findQuestionMarks(userId: number, questionId: number): Promise<QuestionMarks> {
	const { rows } = await sql<QuestionMarks>`
		select
			coalesce((select value from question_votes where user_id = ${userId} and question_id = ${questionId}), 0) as vote,
			exists (select from ${bookmarksOn(userId, questionId)} kept where comment_id is null) as bookmarked,
			exists (select from follows where user_id = ${userId} and question_id = ${questionId}) as following,
			exists (select from affected_members where user_id = ${userId} and question_id = ${questionId}) as affected,
			exists (select from invitations where question_id = ${questionId} and user_id = ${userId} and told and declined_at is null)
				and not exists (select from comments where question_id = ${questionId} and author_id = ${userId} and status = 'published')
				and exists (select from questions where id = ${questionId} and status = 'published' and locked_at is null) as invited`.execute(
		db(),
	)
	return rows[0] ?? { vote: 0, bookmarked: false, following: false, affected: false, invited: false }
}
