import { sql } from 'kysely'
import { type QueryRow, queryColumns, queryJoins } from '~/features/questions/questions.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { candidateRows } from './candidates.queries.server.ts'
import { start, stop } from './marks.ts'
import type { Scope } from './scope.queries.server.ts'

export interface SearchRow extends QueryRow {
	/** As text, so that a cursor compares the very number. */
	rank: string
	title_marked: string
	/** The beginning of the description; marks.ts chooses the passage. */
	description_marked: string
}

/** Characters that no text holds stand round a match, so that escaping can come after. */
const around = `HighlightAll=true,StartSel=${start},StopSel=${stop}`

/** The passage that is shown comes from so many characters of HTML at the beginning: tags double a text, more where it is code. */
const MAX_PASSAGE_SOURCE = 16_000

/**
 * The best matches of a search: title over tags over body over comments, stemmed, with quoted phrases and minus. What is
 * ranked is bounded: see {@link candidateRows}.
 */
export async function searchRows({
	words,
	cursor,
	limit,
	...scope
}: Scope & { words: string; cursor: { rank: string; id: number } | null; limit: number }): Promise<SearchRow[]> {
	const { rows } = await sql<SearchRow>`
		with wanted as materialized (select websearch_to_tsquery('english', search_text(${words})) as words),
		${candidateRows(words, scope)},
		-- Each use of q.search fetches the document anew, and only a phrase is not known to be in it.
		ranked as (
			select q.id, ts_rank('{0.05, 0.2, 0.4, 1.0}', q.search, wanted.words)::float8 as rank
			from candidates join queries q using (id), wanted
			where (select words from asked) = wanted.words or q.search @@ wanted.words),
		page as (
			select id, rank from ranked
			${cursor ? sql`where (rank, id) < (${cursor.rank}::float8, ${cursor.id})` : sql``}
			order by rank desc, id desc limit ${limit})
		select ${queryColumns}, page.rank::text as rank,
			ts_headline('english', search_text(q.title), wanted.words, ${around}) as title_marked,
			ts_headline('english', search_text(text_of_html(left(q.description_html, ${MAX_PASSAGE_SOURCE}))), wanted.words,
				${around}) as description_marked
		from page join queries q on q.id = page.id ${queryJoins}, wanted
		order by page.rank desc, page.id desc`.execute(db())
	return rows
}
