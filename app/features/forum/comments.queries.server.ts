import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'

export interface CommentRow {
	id: number
	parent_id: number | null
	path: number[]
	depth: number
	body: string
	body_html: string
	created_at: string
	edited_at: string | null
	deleted: boolean
	is_solution: boolean
	score: number
	author_id: number
	username: string
	name: string
	image: string | null
	source_url: string | null
	licence: string | null
	/** How many comments lie below this one in all, as far as they are deeper than what a page shows. */
	hidden: number
}

const iso = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)
const columns = sql`m.id, m.parent_id, m.path, m.depth, m.body, m.body_html, ${iso('m.created_at')} as created_at,
	${iso('m.edited_at')} as edited_at, m.deleted_at is not null as deleted, m.is_solution, m.score, m.author_id,
	u.username, u.name, u.image, m.source_url, m.licence`

interface Window {
	queryId: number
	/** The comment to show as the root, or null for the whole query. */
	thread: CommentPlace | null
	/** Id of the last top-level comment of the page before. */
	after: number
	roots: number
	rows: number
}

/** Where a comment lies in its query. */
export interface CommentPlace {
	id: number
	path: number[]
	depth: number
}

/**
 * The comments of one page in reading order: so many threads, four levels deep, and no more rows than asked for.
 * The threads are one range of the index on (query, path); what lies deeper is only counted.
 */
export async function listCommentRows({ queryId, thread, after, roots, rows: most }: Window): Promise<CommentRow[]> {
	const base = thread?.depth ?? 0
	const chosen = thread
		? sql`select ${thread.path[0]}::int as root`
		: sql`select id as root from comments where query_id = ${queryId} and depth = 0 and path > array[${after}::int] order by path limit ${roots}`
	const { rows } = await sql<CommentRow>`
		with roots as (${chosen}),
		bounds as (select min(root) as first, max(root) as last from roots),
		near as (
			select m.* from comments m, bounds
			where m.query_id = ${queryId} and m.path >= array[bounds.first] and m.path < array[bounds.last + 1]
			and m.depth < ${base + 4} ${thread ? sql`and m.path[${base + 1}] = ${thread.id}` : sql``}
			order by m.path limit ${most}),
		deeper as (
			select d.path[${base + 4}] as under, count(*)::int as hidden from comments d, bounds
			where d.query_id = ${queryId} and d.path >= array[bounds.first] and d.path < array[bounds.last + 1]
			and d.depth >= ${base + 4} and d.deleted_at is null group by 1)
		select ${columns}, coalesce(deeper.hidden, 0) as hidden
		from near m join users u on u.id = m.author_id left join deeper on deeper.under = m.id order by m.path`.execute(db())
	return rows
}

/** The solutions of a query, oldest first, at most ten. */
export async function listSolutionRows(queryId: number): Promise<CommentRow[]> {
	const { rows } = await sql<CommentRow>`
		select ${columns}, 0 as hidden from comments m join users u on u.id = m.author_id
		where m.query_id = ${queryId} and m.is_solution and m.deleted_at is null order by m.path limit 10`.execute(db())
	return rows
}

/** Where a comment lies, or undefined when it is not in this query. */
export function findPlace(queryId: number, id: number): Promise<CommentPlace | undefined> {
	return db().selectFrom('comments').select(['id', 'path', 'depth']).where('id', '=', id).where('query_id', '=', queryId).executeTakeFirst()
}

/** The query a comment belongs to, for a viewer who wants to change it. */
export function findComment(id: number): Promise<{ author_id: number; query_id: number } | undefined> {
	return db().selectFrom('comments').select(['author_id', 'query_id']).where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()
}
