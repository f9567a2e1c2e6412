import { type RawBuilder, sql } from 'kysely'
import { db } from '~/db/db.server.ts'
import type { TimeCursor } from '~/lib/cursors.ts'
import { type QueryRow, queryColumns, queryJoins } from '../forum.queries.server.ts'
import { start, stop } from '../marks.ts'

export interface SearchRow extends QueryRow {
	/** As text, so that a cursor compares the very number. */
	rank: string
	title_marked: string
	/** The beginning of the description; marks.ts chooses the passage. */
	description_marked: string
}

/** Characters that no text holds stand round a match, so that escaping can come after. */
const around = `HighlightAll=true,StartSel=${start},StopSel=${stop}`

/** Ranking reads each document; of commoner words the newest this many matches are ranked, those in titles first. */
const mostRanked = 1_000

/** The passage that is shown comes from so many characters at the beginning. */
const mostSearchedForPassage = 8_000

/** What a list is narrowed to. Of tags all are wanted; of categories and authors one of each row, as a query has only one. */
export interface Scope {
	categoryId?: number
	tags: string[]
	/** Slugs. */
	categories: string[]
	/** Usernames. */
	users: string[]
	without: { tags: string[]; categories: string[]; users: string[] }
	/** Each is wanted, unwanted, or not asked about. */
	solved?: boolean
	unanswered?: boolean
}

/**
 * The best matches of a search: title over tags over body over comments, stemmed, with quoted phrases and minus.
 * Two sets of candidates, each bounded: matches in the title, and matches anywhere.
 */
export async function searchRows({
	words,
	cursor,
	limit,
	...scope
}: Scope & { words: string; cursor: { rank: string; id: number } | null; limit: number }): Promise<SearchRow[]> {
	const within = conditions(scope)
	const { rows } = await sql<SearchRow>`
		with wanted as materialized (select websearch_to_tsquery('english', search_text(${words})) as words),
		candidates as (
			(select q.id from queries q, wanted where title_document(q.title) @@ wanted.words and ${within} order by q.created_at desc limit ${mostRanked})
			union
			(select q.id from queries q, wanted where q.search @@ wanted.words and ${within} order by q.created_at desc limit ${mostRanked})),
		ranked as (
			select q.id, ts_rank('{0.05, 0.2, 0.4, 1.0}', q.search, wanted.words)::float8 as rank
			from candidates join queries q using (id), wanted),
		page as (
			select id, rank from ranked
			${cursor ? sql`where (rank, id) < (${cursor.rank}::float8, ${cursor.id})` : sql``}
			order by rank desc, id desc limit ${limit})
		select ${queryColumns}, page.rank::text as rank,
			ts_headline('english', search_text(q.title), wanted.words, ${around}) as title_marked,
			ts_headline('english', search_text(readable_text(left(q.description, ${mostSearchedForPassage}))), wanted.words,
				${around}) as description_marked
		from page join queries q on q.id = page.id ${queryJoins}, wanted
		order by page.rank desc, page.id desc`.execute(db())
	return rows
}

/** The newest queries within a scope. Of several tags the range of the rarest is read. */
export async function scopedRows({
	cursor,
	limit,
	...scope
}: Scope & { cursor: TimeCursor | null; limit: number }): Promise<QueryRow[]> {
	const byTag = scope.tags.length > 0
	const at = sql.raw(byTag ? 't.created_at' : 'q.created_at')
	const id = sql.raw(byTag ? 't.query_id' : 'q.id')
	const from = byTag ? sql`query_tags t join queries q on q.id = t.query_id` : sql`queries q`
	const { rows } = await sql<QueryRow>`
		select ${queryColumns} from ${from} ${queryJoins} where ${conditions(scope)}
		${byTag ? sql`and t.tag_id = (select id from tags where name = any(${scope.tags}::text[]) order by query_count, id limit 1)` : sql``}
		${cursor ? sql`and (${at}, ${id}) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by ${at} desc, ${id} desc limit ${limit}`.execute(db())
	return rows
}

function conditions({ categoryId, tags, categories, users, without, solved, unanswered }: Scope): RawBuilder<unknown> {
	const categoryIds = (slugs: string[]) => sql`(select id from categories where slug = any(${slugs}::text[]))`
	const userIds = (names: string[]) => sql`(select id from users where username = any(${names}::text[]))`
	const all = [sql`q.deleted_at is null`]
	if (categoryId !== undefined) all.push(sql`q.category_id = ${categoryId}`)
	if (tags.length > 0) all.push(sql`q.tags @> ${tags}::text[]`)
	if (categories.length > 0) all.push(sql`q.category_id = any(array${categoryIds(categories)})`)
	if (users.length > 0) all.push(sql`q.author_id = any(array${userIds(users)})`)
	if (without.tags.length > 0) all.push(sql`not q.tags && ${without.tags}::text[]`)
	if (without.categories.length > 0) all.push(sql`q.category_id <> all(array${categoryIds(without.categories)})`)
	if (without.users.length > 0) all.push(sql`q.author_id <> all(array${userIds(without.users)})`)
	if (solved !== undefined) all.push(solved ? sql`q.solved` : sql`not q.solved`)
	if (unanswered !== undefined) all.push(unanswered ? sql`q.comment_count = 0` : sql`q.comment_count > 0`)
	return sql.join(all, sql` and `)
}
