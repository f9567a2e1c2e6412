import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { QueryTexts } from './writing.queries.server.ts'

/** How many edits of a query, or of a comment, are kept. */
export async function countRevisions(trx: Executor, of: { queryId: number } | { commentId: number }): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from revisions where ${whose(of)}`.execute(trx)
	return rows[0]?.count ?? 0
}

/** Keeps what a query says before `texts` take its place; nothing when they say the same. The query must be locked. */
export async function recordQueryRevision(
	trx: Executor,
	id: number,
	editorId: number,
	texts: QueryTexts,
): Promise<void> {
	await sql`
		insert into revisions (query_id, editor_id, by_moderator, title, description, tags, category)
		select q.id, ${editorId}::int, q.author_id <> ${editorId}, q.title, q.description, q.tags, c.title
		from queries q join categories c on c.id = q.category_id
		where q.id = ${id} and (q.title, q.description, q.tags, q.category_id)
			is distinct from (${texts.title}, ${texts.description}, ${texts.tags}::text[], ${texts.categoryId}::int)`.execute(
		trx,
	)
}

/** As {@link recordQueryRevision}, for a comment. */
export async function recordCommentRevision(trx: Executor, id: number, editorId: number, body: string): Promise<void> {
	await sql`
		insert into revisions (query_id, comment_id, editor_id, by_moderator, body)
		select query_id, id, ${editorId}::int, author_id <> ${editorId}, body from comments
		where id = ${id} and body <> ${body}`.execute(trx)
}

/** A text before an edit, and the edit. */
export interface RevisionRow {
	id: number
	made_at: string
	by_moderator: boolean
	username: string
	name: string
	title: string | null
	description: string | null
	tags: string[] | null
	category: string | null
	body: string | null
}

/** Edits of a query or a comment, newest first, from the one named by `from` on. */
export async function listRevisionRows(
	of: { queryId: number } | { commentId: number },
	from: number | null,
	limit: number,
): Promise<RevisionRow[]> {
	const { rows } = await sql<RevisionRow>`
		select r.id, to_char(r.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as made_at, r.by_moderator,
			u.username, u.name, r.title, r.description, r.tags, r.category, r.body
		from revisions r join users u on u.id = r.editor_id
		where ${whose(of)}
		${from === null ? sql`` : sql`and r.id <= ${from}`}
		order by r.id desc limit ${limit}`.execute(db())
	return rows
}

function whose(of: { queryId: number } | { commentId: number }) {
	return 'queryId' in of ? sql`query_id = ${of.queryId} and comment_id is null` : sql`comment_id = ${of.commentId}`
}
