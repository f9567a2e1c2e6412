import { sql } from 'kysely'
import {
	type AuthorRow,
	accountIdsOf,
	authorColumns,
	memberBehind,
} from '~/features/members/pseudonyms.queries.server.ts'
import { type NamedQuestion, questionJoins } from '~/features/questions/questions.queries.server.ts'
import { outdatedColumn } from '~/features/upkeep/outdated.queries.server.ts'
import type { OutdatedView } from '~/features/upkeep/upkeep.view.ts'
import { db } from '~/platform/db/db.server.ts'
import { isByAnother, isDiscussed } from '~/platform/db/posts.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { isoTime } from '~/platform/db/times.server.ts'

export interface CommentRow extends AuthorRow {
	id: number
	parent_id: number | null
	path: number[]
	depth: number
	body: string
	body_html: string
	created_at: string
	edited_at: string | null
	status: PostStatus
	status_reason: string
	never_published: boolean
	version: number
	is_solution: boolean
	chosen_at: string | null
	score: number
	source_url: string | null
	licence: string | null
	outdated: OutdatedView | null
	/** Replies below this comment that are deeper than the page shows. */
	hidden: number
}

const columns = sql`m.id, m.parent_id, m.path, m.depth, m.body, m.body_html, ${isoTime('m.created_at')} as created_at,
	${isoTime('m.edited_at')} as edited_at, m.is_solution, ${isoTime('m.chosen_at')} as chosen_at, m.score, ${authorColumns},
	m.status, m.status_reason, m.never_published, m.version, m.source_url, m.licence, ${outdatedColumn} as outdated`

interface Window {
	questionId: number
	/** The comment whose replies are shown, or null for the comments of the question itself. */
	above: CommentPath | null
	/** Id of the last thread of the previous page, 0 on the first. */
	after: number
	/** Maximum threads, and maximum comments in all. */
	threads: number
	comments: number
}

/** The position of a comment in its question. */
export interface CommentPath {
	id: number
	path: number[]
	depth: number
}

export interface CommentRows {
	rows: CommentRow[]
	/** How many threads remain; counted up to one more than a page shows. */
	heads: number
	/**
	 * The id of the question's newest comment on any page, including deleted ones; 0 for none. Comments of one question get their ids
	 * in the order of commits, as their writers lock the question.
	 */
	newest: number
}

/** In the same snapshot as the rows. The last part of a path is the id, so an index-only scan is enough. */
const newestOf = (questionId: number) =>
	sql`(select max(path[cardinality(path)]) from comments where question_id = ${questionId})`

/** Levels that a page shows; deeper replies are counted. */
export const LEVELS_PER_PAGE = 4

/**
 * The comments of one page in reading order, the parent first: this many threads, four levels deep. The threads are one
 * range of the index on (question, path). One row more than requested shows that not all fit.
 */
export async function listCommentRows({ questionId, above, after, threads, comments }: Window): Promise<CommentRows> {
	const base = sql`${above?.path ?? []}::int[]`
	const below = (above?.depth ?? 0) + LEVELS_PER_PAGE
	const { rows } = await sql<CommentRow & { heads: number; newest: number }>`
		with heads as (
			select id from comments where question_id = ${questionId} and ${above ? sql`parent_id = ${above.id}` : sql`parent_id is null`}
			and id > ${after} order by id limit ${threads + 1}),
		page as (select min(id) as first, max(id) as last from (select id from heads order by id limit ${threads}) shown),
		near as (
			(select m.* from comments m where m.id = ${above?.id ?? null})
			union all
			(select m.* from page, comments m
			where m.question_id = ${questionId} and m.path >= ${base} || page.first and m.path < ${base} || (page.last + 1) and m.depth < ${below}
			order by m.path limit ${comments + 1})),
		deeper as (
			select d.path[${below}] as under, count(*)::int as hidden from page, comments d
			where d.question_id = ${questionId} and d.path >= ${base} || page.first and d.path < ${base} || (page.last + 1)
			and d.depth >= ${below} and d.status = 'published' group by 1)
		select ${columns}, coalesce(deeper.hidden, 0) as hidden, (select count(*)::int from heads) as heads, ${newestOf(questionId)} as newest
		from near m join users u on u.id = m.author_id left join deeper on deeper.under = m.id order by m.path`.execute(
		db(),
	)
	return { rows, heads: rows[0]?.heads ?? 0, newest: rows[0]?.newest ?? 0 }
}

interface BestWindow extends Omit<Window, 'above' | 'after'> {
	/** Score and id of the last thread of the previous page, or null on the first. */
	after: { score: number; id: number } | null
}

/**
 * As {@link listCommentRows} for the comments on the question itself, best threads first; within a thread in order of time. The
 * threads come from the index on (question, score, id), each as a range of the one on (question, path).
 */
export async function listBestRows({ questionId, after, threads, comments }: BestWindow): Promise<CommentRows> {
	const { rows } = await sql<CommentRow & { heads: number; newest: number }>`
		with heads as (
			select id, row_number() over (order by score desc, id) as place from comments
			where question_id = ${questionId} and parent_id is null
			and ${after ? sql`score <= ${after.score} and (score < ${after.score} or id > ${after.id})` : sql`true`}
			order by score desc, id limit ${threads + 1}),
		shown as (select * from heads where place <= ${threads}),
		near as (
			select m.*, shown.place from shown cross join lateral (
				select * from comments c where c.question_id = ${questionId} and c.path >= array[shown.id] and c.path < array[shown.id + 1]
				and c.depth < ${LEVELS_PER_PAGE} order by c.path limit ${comments + 1}) m
			order by shown.place, m.path limit ${comments + 1}),
		deeper as (
			select d.path[${LEVELS_PER_PAGE}] as under, count(*)::int as hidden from shown join comments d
			on d.question_id = ${questionId} and d.path >= array[shown.id] and d.path < array[shown.id + 1]
			where d.depth >= ${LEVELS_PER_PAGE} and d.status = 'published' group by 1)
		select ${columns}, coalesce(deeper.hidden, 0) as hidden, (select count(*)::int from heads) as heads, ${newestOf(questionId)} as newest
		from near m join users u on u.id = m.author_id left join deeper on deeper.under = m.id
		order by m.place, m.path`.execute(db())
	return { rows, heads: rows[0]?.heads ?? 0, newest: rows[0]?.newest ?? 0 }
}

/** The columns of a comment that is just being added. */
export const newCommentColumns = sql<CommentRow>`${columns}, 0 as hidden`

/** How many comments are below one, without deleted ones. */
export async function countBelow(questionId: number, path: number[]): Promise<number> {
	const next = [...path.slice(0, -1), (path.at(-1) ?? 0) + 1]
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from comments
		where question_id = ${questionId} and path > ${path}::int[] and path < ${next}::int[] and status = 'published'`.execute(
		db(),
	)
	return rows[0]?.count ?? 0
}

/** The solutions of a question, the first accepted one first, at most ten. */
export async function listSolutionRows(questionId: number): Promise<CommentRow[]> {
	const { rows } = await sql<CommentRow>`
		select ${columns}, 0 as hidden from comments m join users u on u.id = m.author_id
		where m.question_id = ${questionId} and m.is_solution and m.status = 'published'
		order by m.chosen_at nulls first, m.path limit 10`.execute(db())
	return rows
}

/** The position of a comment; undefined when it is not in this question. */
export function findCommentPath(questionId: number, id: number): Promise<CommentPath | undefined> {
	return db()
		.selectFrom('comments')
		.select(['id', 'path', 'depth'])
		.where('id', '=', id)
		.where('question_id', '=', questionId)
		.executeTakeFirst()
}

/** A comment with the member who wrote it and its question's tags; undefined when either was deleted. */
export async function findComment(
	id: number,
): Promise<{ author_id: number; question_id: number; body: string; tags: string[] } | undefined> {
	const { rows } = await sql<{ author_id: number; question_id: number; body: string; tags: string[] }>`
		select ${memberBehind(sql.ref('m.author_id'))} as author_id, m.question_id, m.body, q.tags
		from comments m join questions q on q.id = m.question_id
		where m.id = ${id} and m.status = 'published' and q.status = 'published'`.execute(db())
	return rows[0]
}

/** A comment in any state, with its question in any state. */
export interface AnyComment extends NamedQuestion {
	/** Whether its question was deleted and has a page while this comment is published. */
	gives_page: boolean
	status: PostStatus
	/** The member who wrote it. */
	member_id: number
	/** Who deleted it, and whether they may still undo that; for a text that was erased nobody can. */
	status_by: number | null
	recent: boolean
	erased: boolean
}

/** A comment with its question, whatever became of either. @param within seconds that count as recent */
export async function findAnyComment(id: number, within = 0): Promise<AnyComment | undefined> {
	const { rows } = await sql<AnyComment>`
		select q.id, q.title, q.tags, ${authorColumns}, c.slug as category_slug, q.locked_at is not null as locked,
			q.status = 'deleted' and q.status_by is not null and ${isByAnother('m')} as gives_page, m.status, ${memberBehind(sql.ref('m.author_id'))} as member_id,
			m.status_by, m.status_at > now() - make_interval(secs => ${within}) as recent, m.body = '' as erased
		from comments m join questions q on q.id = m.question_id ${questionJoins} where m.id = ${id}`.execute(db())
	return rows[0]
}

export interface CommentPlaceRow {
	id: number
	/** The member who wrote it. */
	author_id: number
	status: PostStatus
	/** Whether everybody sees its place: it is published, or a reply to it is. */
	shown: boolean
	question_id: number
	/** The member who asked. */
	asker_id: number
	question_status: PostStatus
	parent_id: number | null
	depth: number
	title: string
	username: string
	category_slug: string
	/** Threads before its own, siblings before it, comments of the question: counted as far as a page reaches. */
	heads_before: number
	siblings_before: number
	comments: number
}

/** Where a comment is, whoever may see it; undefined when it, or its question with all that others wrote below it, is gone. */
export async function findCommentPlace(
	id: number,
	threads: number,
	comments: number,
): Promise<CommentPlaceRow | undefined> {
	const { rows } = await sql<CommentPlaceRow>`
		select m.id, ${memberBehind(sql.ref('m.author_id'))} as author_id, m.status, m.question_id,
			m.status = 'published' or exists (select 1 from comments r where r.parent_id = m.id and r.status = 'published') as shown,
			${memberBehind(sql.ref('q.author_id'))} as asker_id, q.status as question_status, m.parent_id, m.depth, q.title, u.username, c.slug as category_slug,
			(select count(*)::int from (select 1 from comments h where h.question_id = m.question_id and h.parent_id is null
				and h.id < m.path[1] limit ${threads}) x) as heads_before,
			(select count(*)::int from (select 1 from comments s where s.parent_id = m.parent_id and s.id < m.id limit ${threads}) x) as siblings_before,
			(select count(*)::int from (select 1 from comments a where a.question_id = m.question_id limit ${comments + 1}) x) as comments
		from comments m join questions q on q.id = m.question_id ${questionJoins}
		where m.id = ${id} and (q.status <> 'deleted' or ${isDiscussed})`.execute(db())
	return rows[0]
}

/** Whether a question is published. */
export async function isOpenQuestion(id: number): Promise<boolean> {
	const { rows } = await sql`select from questions where id = ${id} and status = 'published'`.execute(db())
	return rows.length > 0
}

/** Comments of others than this member under a question after a comment, oldest first, at most a hundred. */
export async function listNewerComments(questionId: number, after: number, exceptOf: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from comments where question_id = ${questionId} and id > ${after} and author_id <> all(${accountIdsOf(exceptOf)}) and status = 'published'
		order by id limit 100`.execute(db())
	return rows.map(({ id }) => id)
}
