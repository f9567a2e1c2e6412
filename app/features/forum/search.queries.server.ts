import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'
import { type QueryRow, queryColumns, queryJoins } from './forum.queries.server.ts'
import { start, stop } from './marks.ts'

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

interface Filter {
	search: string
	categoryId?: number
	tag?: string
	cursor: { rank: string; id: number } | null
	limit: number
}

/**
 * The best matches of a search: title over tags over body over comments, stemmed, with quoted phrases and minus.
 * Two sets of candidates, each bounded: matches in the title, and matches anywhere.
 */
export async function searchRows({ search, categoryId, tag, cursor, limit }: Filter): Promise<SearchRow[]> {
	const scope = sql`q.deleted_at is null
		${categoryId === undefined ? sql`` : sql`and q.category_id = ${categoryId}`}
		${tag === undefined ? sql`` : sql`and q.tags @> array[${tag}::text]`}`
	const { rows } = await sql<SearchRow>`
		with wanted as materialized (select websearch_to_tsquery('english', search_text(${search})) as words),
		candidates as (
			(select q.id from queries q, wanted where title_document(q.title) @@ wanted.words and ${scope} order by q.created_at desc limit ${mostRanked})
			union
			(select q.id from queries q, wanted where q.search @@ wanted.words and ${scope} order by q.created_at desc limit ${mostRanked})),
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
