import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { candidateRows } from './candidates.queries.server.ts'
import { markings, start, stop } from './marks.ts'
import type { Scope, Selection } from './scope.queries.server.ts'

/** What a search adds to the columns that its caller asks for. */
export interface RankedRow {
	id: number
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
export async function searchRows<Row>(
	{ columns, joins }: Selection<Row>,
	{
		words,
		cursor,
		limit,
		...scope
	}: Scope & { words: string; cursor: { rank: string; id: number } | null; limit: number },
): Promise<(Row & RankedRow)[]> {
	const { rows } = await sql<Row & RankedRow>`
		with wanted as materialized (select websearch_to_tsquery('english', search_text(${words})) as words),
		${candidateRows(words, scope)},
		-- Each use of q.search fetches the document anew, and only a phrase is not known to be in it.
		ranked as (
			select q.id, ts_rank('{0.05, 0.2, 0.4, 1.0}', q.search, wanted.words)::float8 as rank
			from candidates join questions q using (id), wanted
			where (select words from asked) = wanted.words or q.search @@ wanted.words),
		page as (
			select id, rank from ranked
			${cursor ? sql`where (rank, id) < (${cursor.rank}::float8, ${cursor.id})` : sql``}
			order by rank desc, id desc limit ${limit})
		select ${columns}, page.rank::text as rank,
			ts_headline('english', search_text(q.title), wanted.words, ${around}) as title_marked,
			ts_headline('english', search_text(text_of_html(left(q.description_html, ${MAX_PASSAGE_SOURCE}))), wanted.words,
				${around}) as description_marked
		from page join questions q on q.id = page.id ${joins}, wanted
		order by page.rank desc, page.id desc`.execute(db())
	return rows
}

export interface PassageRow {
	question_id: number
	comment_id: number
	/** Of its author. */
	name: string
	/** Its text; marks.ts chooses the passage. */
	body_marked: string
}

/** Of a thread the first comments are looked at, as its search document is made of no more. */
const MAX_COMMENTS = 300

/** So many of them are parsed, which costs fifty times what looking for letters does, and of each so many characters. */
const MAX_PARSED = 8
const MAX_CHARACTERS = 4_000

/** Characters of a comment's HTML that its passage is taken from: tags, most of all those that colour code, double a text. */
const MAX_HTML = 8_000

/**
 * For each of these questions that matches by its comments alone, the comment that matches best: with most of the words, as a
 * search is met by all comments of a query together.
 * @param ids the questions of one page of results
 */
export async function passageRows(words: string, ids: number[]): Promise<PassageRow[]> {
	const { rows } = await sql<PassageRow>`
		with wanted as materialized (select websearch_to_tsquery('english', search_text(${words})) as words),
		-- What must not be there says nothing of what is, and any of the other words will do.
		parts as materialized (select replace(querytree(words), ' & ', ' | ')::tsquery as words from wanted),
		-- The letters that each word begins with, before its ending and as it was before search_text.
		beginnings as materialized (select array(
			select '%' || translate(left(spelling, greatest(3, length(spelling) - 1)), '\\%', '__') || '%'
			from regexp_matches(parts.words::text, '''([^'']+)''', 'g') as found (word),
				replace(replace(replace(word[1], 'qplusplus', '++'), 'qsharp', '#'), 'dotqnet', '.net') as spelling
			) as patterns from parts)
		select q.id as question_id, best.id as comment_id, users.name,
			ts_headline('english', search_text(text_of_html(left(best.body_html, ${MAX_HTML}))), parts.words, ${markings}) as body_marked
		from questions q, wanted, parts, beginnings, lateral (
			select c.id, c.author_id, c.body_html from (
				select * from (
					select id, author_id, body, body_html, path from comments
					where question_id = q.id and deleted_at is null order by path limit ${MAX_COMMENTS}) early
				where left(body, ${MAX_CHARACTERS}) ilike any (patterns) limit ${MAX_PARSED}) c,
				to_tsvector('english', search_text(left(c.body, ${MAX_CHARACTERS}))) as document
			where document @@ parts.words order by ts_rank(document, parts.words) desc, c.path limit 1) best
			join users on users.id = best.author_id
		where q.id = any(${ids}) and not ts_filter(q.search, '{a,b,c}') @@ wanted.words`.execute(db())
	return rows
}
