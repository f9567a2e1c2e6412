import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { arrayOf, db } from '~/platform/db/db.server.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import { candidateRows, MAX_CANDIDATES, publishedOf } from './candidates.queries.server.ts'
import { isOption } from './parse.ts'
import {
	conditions,
	conditionsBesideWords,
	matchesNothing,
	newestRows,
	type SearchScope,
	type Selection,
	walkBlocks,
} from './scope.queries.server.ts'

/** Columns that a search adds to those of the caller. */
export interface MatchedRow {
	id: number
	/** As text, so that a cursor compares the exact number. */
	rank: string
	matched_title: string
	/** The beginning of the description, as HTML that may be truncated anywhere. */
	description_start: string
	/** Whether the words are only in its comments. */
	by_comments: boolean
	/** The words of the search, without other forms of their numbers. */
	lexemes: string[]
	/** The number of matches among the ranked questions; at least a hundred if there are more. */
	found: number
}

/** The words and phrases of a search. */
export interface SearchWords {
	/** Each in the syntax of `websearch_to_tsquery`; a question must match all of them. */
	words: string[]
	/** How many of them were typed, without alternatives, and how many are of another way to write one. */
	typed: number
	spelled: number
	/** Phrases, and options such as `--hard`, as plain text: questions that contain them literally come first. */
	phrases: string[]
	/** The parts of a question that must match: title `a`, tags `b`, description `c`, comments `d`; any by default. */
	parts?: string[]
}

/** Characters of HTML from which the passage is chosen: tags double the length of a text, and more so for code. */
const MAX_PASSAGE_SOURCE = 8_000

/**
 * The best matches of a search: stemmed, title over tags over body over comments, with quoted phrases and exclusions.
 * The number of ranked matches is bounded: see {@link candidateRows}.
 */
export async function searchRows<Row>(
	selection: Selection<Row>,
	{
		wanted,
		cursor,
		limit,
		...scope
	}: SearchScope & { wanted: SearchWords; cursor: { rank: string; id: number } | null; limit: number },
): Promise<(Row & MatchedRow)[]> {
	if (matchesNothing(scope)) return []
	const { words, phrases } = wanted
	// Uses a generic plan: planning for the given values takes longer (3 ms) than the statement. It is written so that one plan fits
	// all.
	const { rows } = await pipelinedTransaction((trx, last) =>
		last(
			sql<Row & MatchedRow>`
		with wanted as materialized (
			select words, replace(words::text, ' & ', ' | ')::tsquery as apart from (select ${allOf(words)} as words offset 0) asked),
		${phrases.length > 0 ? literalRows(wanted, scope) : rankedByWords(wanted, scope)}
		${phrases.length > 0 ? sayingRows(phrases) : sql`placed as (select id, rank from ranked),`}
		page as (
			select id, rank from placed
			${cursor ? sql`where (rank, id) < (${cursor.rank}::float8, ${cursor.id})` : sql``}
			order by rank desc, id desc limit ${limit})
		${matchedRows(selection, sql`(select count(*)::int from ranked)`)}
		order by page.rank desc, page.id desc`.execute(trx),
		),
	)
	return rows
}

/** `ranked (id, rank)` for a search without phrases. */
function rankedByWords(wanted: SearchWords, scope: SearchScope): RawBuilder<unknown> {
	const kind = wanted.typed === 1 ? 'word' : 'words'
	return sql`${candidateRows(wanted.words.join(' '), kind, scope)}, ranked as (${rankedRows(wanted, 'candidates')}),`
}

/** If this many questions with the words of a phrase in their titles contain it literally, no others are ranked. */
const MANY_LITERAL = 100

/**
 * `ranked (id, rank)` for a search with phrases. Questions with its words in the title are read first: if many of them contain a phrase, they
 * fill several pages, and finding and reading 1,500 others would take most of the time.
 */
function literalRows(wanted: SearchWords, scope: SearchScope): RawBuilder<unknown> {
	const checked = {
		tables: sql`first as materialized (${rankedRows(wanted, 'titled')}),`,
		wantsMore: sql`(select count(*) from first where rank >= 1) < ${MANY_LITERAL}::int`,
	}
	return sql`
		${candidateRows(wanted.words.join(' '), 'phrase', scope, checked)},
		ranked as (select * from first union all ${rankedRows(wanted, 'others')}),`
}

/**
 * The ids and ranks of the matches among candidates; the index does not contain the order of words in a phrase.
 * @param candidates name of a set with `ctid`
 */
function rankedRows(wanted: SearchWords, candidates: 'candidates' | 'titled' | 'others'): RawBuilder<unknown> {
	const { phrases, parts } = wanted
	const literally = phrases.map((phrase) => sql` + (${saysInText(phrase)})::int`)
	// Text that has a word in all its ways may exceed 1, which tells that a phrase is literal.
	const rank = phrases.length > 0 ? sql`least(${rankOf(wanted)}, 0.999)` : rankOf(wanted)
	// Each use of a stored document detoasts it again. ts_delete returns a detoasted value, which it does not copy, as no document contains
	// the empty word. The planner overestimates the candidates: without `offset 0` it would scan all questions. Their places as one array are
	// read in one pass; a join would ask for the size of the table for each.
	return sql`
		select q.id, (${rank}${sql.join(literally, sql``)})::float8 as rank
		from wanted cross join lateral (
			select id, title, description, ts_delete(search, '') as search from questions
			where ctid = any(array(select ctid from ${sql.raw(candidates)}))
				and ((select words from asked) = wanted.words or search @@ wanted.words) offset 0) q
		${parts ? sql`where ts_filter(q.search, ${parts}::"char"[]) @@ wanted.words` : sql``}`
}

/** If this many titles or descriptions contain a phrase literally, comments are not read for it. */
const ENOUGH_LITERAL = 10
/** The maximum of questions whose comments are read for a phrase, and of comments. */
const MAX_READ_THREADS = 300
const MAX_READ_COMMENTS = 2_000

/** `placed (id, rank)` of `ranked`: a comment that contains all of some phrases counts like a description that does. */
function sayingRows(phrases: string[]): RawBuilder<unknown> {
	const literally = phrases.map((phrase) => says(sql`body`, phrase))
	return sql`
		spoken as materialized (
			select c.question_id, c.body from (
				select id from ranked where rank < 1 and (select count(*) from ranked where rank >= 1) < ${ENOUGH_LITERAL}::int
				order by rank desc, id desc limit ${MAX_READ_THREADS}) likeliest
			cross join lateral (
				select question_id, body from comments where question_id = likeliest.id and status = 'published' order by path limit ${MAX_COMMENTS}) c
			limit ${MAX_READ_COMMENTS}),
		saying as materialized (select distinct question_id from spoken where ${sql.join(literally, sql` and `)}),
		placed as (select id, rank + (id in (select question_id from saying))::int as rank from ranked),`
}

/** These questions in this order, as matches of some of the words. */
export async function chosenRows<Row>(
	selection: Selection<Row>,
	ids: number[],
	text: string,
): Promise<(Row & MatchedRow)[]> {
	const { rows } = await sql<Row & MatchedRow>`
		with wanted as materialized (select ${anyOf(text)} as words),
		page as (select id, 0 as rank, place from unnest(${ids}::int[]) with ordinality as given (id, place))
		${matchedRows(selection, sql`${ids.length}::int`)}
		order by page.place`.execute(db())
	return rows
}

/** The caller's columns for the questions of `page (id, rank)`; `wanted (words)` must be defined before. */
function matchedRows<Row>({ columns, joins }: Selection<Row>, found: RawBuilder<unknown>): RawBuilder<unknown> {
	return sql`
		select ${columns}, page.rank::text as rank, q.title as matched_title,
			${startOf(sql`q.description_html`, MAX_PASSAGE_SOURCE)} as description_start,
			not ts_filter(q.search, '{a,b,c}') @@ wanted.words as by_comments, sought.lexemes, ${found} as found
		from page join questions q on q.id = page.id ${joins}, wanted,
			(select array(select distinct word[1] from wanted, regexp_matches(querytree(words)::text, '''([^'']+)''', 'g') as word
				where word[1] !~ ${otherNumber}) as lexemes
			offset 0) sought`
}

/** The first characters of a text. Most texts are shorter, which is known without counting their characters. */
function startOf(text: RawBuilder<unknown>, characters: number): RawBuilder<unknown> {
	return sql`case when octet_length(${text}) <= ${characters} then ${text} else left(${text}, ${characters}) end`
}

/** As `countNewMatches` of search.server.ts: reads the questions of those days one by one, as they are few. */
export async function countMatchesAmong(
	scope: SearchScope,
	words: string[],
	parts: string[] | undefined,
	{ among, reader }: { among: RawBuilder<number>; reader: number },
): Promise<number> {
	const document = parts ? sql`ts_filter(q.search, ${parts}::"char"[])` : sql`q.search`
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from (
			select from questions q where q.id in ${among} and ${conditions(scope)}
				and q.author_id <> all(${accountIdsOf(reader)}) and not ${isBlocking(reader, sql.ref('q.author_id'))}
				${words.length === 0 ? sql`` : sql`and ${document} @@ (${allOf(words)})`} limit 100) hit`.execute(db())
	return rows[0]?.count ?? 0
}

/** Questions that are read for a literal phrase, at about 8 µs each, and the number of newest blocks of 4,096 that they are taken from. */
const MAX_READ_LITERALLY = 3_000
const BLOCKS_READ_LITERALLY = 12

/**
 * The newest unranked questions with the words of some phrases whose title or description contains each phrase literally. Only phrases with
 * words that the index lacks are searched: of “how does this work” it has one word, and of “are there any other” none.
 * @param asked `words` without exclusions; `before`: the last id of the previous page; `isOnly`: none is ranked, so all with the words count
 * @returns ids, newest first
 */
export async function listLiteral(
	scope: SearchScope,
	asked: { words: string; phrases: string[]; before: number | null; limit: number; isOnly: boolean },
): Promise<number[]> {
	const { words, phrases, before, limit, isOnly } = asked
	const { titled, anywhere } = isOnly ? { titled: 0, anywhere: 0 } : MAX_CANDIDATES.phrase
	const isPartly = sql`(select (is_partly_known or ${isOnly}::boolean) and numnode(words) > 0 from asked)`
	const withWords = (document: string) => {
		const matching = sql`${sql.raw(document)} @@ (select words from asked) and ${conditionsBesideWords(scope, sql`true`)}`
		const last = sql`${BLOCKS_READ_LITERALLY - 1}::int`
		return publishedOf(sql`${walkBlocks(matching, sql`0`, last, ['id', 'ctid'])} where ${isPartly}`)
	}
	// Nothing sorts, so that reading ends with the last one that is wanted. Estimated to be few, they would be found by reading all questions.
	const { rows } = await sql<{ id: number }>`
		with asked as materialized (
			select regexp_replace((${allOf([words])})::text, '<(-|[0-9]+)>', '&', 'g')::tsquery as words,
				exists (select from unnest(${phrases}::text[]) phrase where length(to_tsvector('simple', search_text(phrase)))
					> length(to_tsvector('english', search_text(phrase)))) as is_partly_known),
		titled as materialized (${withWords('title_document(q.title)')} limit ${titled})
		select id from (
			select q.id from (
				(${withWords('q.search')} offset ${anywhere} limit ${MAX_READ_LITERALLY})
				union all (${newestRows(scope, BLOCKS_READ_LITERALLY, sql`(select numnode(words) = 0 and not ${isOnly}::boolean from asked)`)} limit ${MAX_READ_LITERALLY})) newest
			cross join lateral (select id, title, description, search from questions where id = newest.id offset 0) q
			where ${before === null ? sql`true` : sql`newest.id < ${before}::int`} and ${sql.join(phrases.map(saysInText), sql` and `)} offset 0) found
		where id not in (select id from titled) limit ${limit}`.execute(db())
	return rows.map(({ id }) => id)
}

/**
 * The question whose title equals one of these texts, the first that any title equals, ignoring case, punctuation and
 * spaces, so that a copied title is found even if it contains `-` or `or`.
 */
export async function findByTitle(titles: string[], scope: RawBuilder<unknown>): Promise<number | null> {
	const { rows } = await sql<{ id: number }>`
		select same.id from unnest(${arrayOf(titles, 'text')}) with ordinality as asked (title, place)
		cross join lateral (
			select q.id from questions q where title_key(q.title) = title_key(asked.title) and title_key(asked.title) <> '' and ${scope} offset 0) same
		order by place, same.id desc limit 1`.execute(db())
	return rows[0]?.id ?? null
}

/** The weights of a word in comments, description, tags and title. */
const partWeights = { d: 0.02, c: 0.3, b: 0.4, a: 1 }

/**
 * The rank: each word by itself, title over tags over body over comments, in a document of average length; for several words also
 * their proximity, which reads the document once more. Of two, one is often a name in code and the other the title's, in a thread
 * of any length; of more, words of the title would count too much for a reader who remembers the text.
 */
function rankOf({ typed, spelled, parts }: SearchWords): RawBuilder<unknown> {
	const counts = Object.entries(partWeights).map(([part, weight]) => (parts?.includes(part) === false ? 0 : weight))
	const weights = sql.lit(`{${counts.join(', ')}}`)
	if (typed === 1) return sql`ts_rank(${weights}, q.search, wanted.apart)`
	// A mean of all words. Who writes one in one way does not write it in the other.
	const mean = spelled > 0 ? sql`${(typed + spelled) / typed}::float8 *` : sql``
	const inTitle = sql`${mean} ts_rank(${sql.lit(`{0, 0, 0, ${counts.at(-1)}}`)}, q.search, wanted.apart)`
	return sql`${mean} ts_rank(${weights}, q.search, wanted.apart, 1) + 0.3 * ts_rank(${weights}, q.search, wanted.words, 1)
		${typed === 2 ? sql`+ 0.2 * ${inTitle}` : sql``}`
}

function allOf(words: string[]): RawBuilder<unknown> {
	const queries = words.map((each) => numbersIn(sql`websearch_to_tsquery('english', search_text(${each}))`))
	return sql.join(queries, sql` && `)
}

/** What {@link numbersIn} adds to a number. */
const otherNumber = '^(-|v[0-9]+[.])'

/**
 * A query whose numbers also match other forms in the index: `-8`, as PostgreSQL parses `Java-8`, and `v3.8.1`.
 * Excluded ones stay exact, as `kill -11` may be in a pasted title.
 */
function numbersIn(query: RawBuilder<unknown>): RawBuilder<unknown> {
	const versions = sql`regexp_replace((${query})::text, '(?<![!''])''-?v?([0-9]+(\\.[0-9]+)+)''', '(''\\1'' | ''-\\1'' | ''v\\1'')', 'g')`
	return sql`regexp_replace(${versions}, '(?<![!''])''-?([0-9]+)''', '(''\\1'' | ''-\\1'')', 'g')::tsquery`
}

/**
 * A condition on `questions q` for a search that only excludes words. For `not` alone an index would be read from end to end, while nearly each
 * of the newest questions matches, unless a tag says the same. `-the` excludes nothing, and has an empty query, which nothing matches.
 */
export function withoutWords(words: string): RawBuilder<unknown> {
	// A generic plan would read the words again for each row outside a subselect.
	return sql`coalesce(q.search @@ (select nullif((${allOf([words])})::text, '')::tsquery), true)`
}

function anyOf(text: string): RawBuilder<unknown> {
	return sql`replace(plainto_tsquery('english', search_text(${text}))::text, '&', '|')::tsquery`
}

/**
 * Conditions on `questions q` for a search of any words: its scope and its exclusions.
 * @param without exclusions in the syntax of `websearch_to_tsquery`, with the minus
 * @param parts as in {@link SearchWords}; one of them must have a word of the text
 */
export function anyWordConditions(
	scope: SearchScope,
	text: string,
	without: string[],
	parts: string[] | undefined,
): RawBuilder<unknown> {
	const all = [conditionsBesideWords(scope)]
	if (without.length > 0) all.push(withoutWords(without.join(' ')))
	if (parts) all.push(sql`ts_filter(q.search, ${parts}::"char"[]) @@ ${anyOf(text)}`)
	return sql.join(all, sql` and `)
}

/**
 * Whether the title or the description of `q` has a phrase literally. Most questions with the words of a phrase have them in comments: for
 * plain words their document tells so, and neither text is read.
 */
function saysInText(phrase: string): RawBuilder<unknown> {
	const isSaid = says(sql`(q.title || E'\\n' || q.description)`, phrase)
	// Numbers and punctuation may be indexed otherwise within another text.
	if (!/^[\p{L}\s]+$/u.test(phrase)) return isSaid
	const words = sql`plainto_tsquery('english', search_text(${phrase}))::text`
	// The index lacks stop words, and a phrase may have no others.
	return sql`(coalesce(q.search @@ (select nullif(regexp_replace(${words}, '''([^'']+)''', '''\\1'':abc', 'g'), '')::tsquery), true) and ${isSaid})`
}

/**
 * Whether a text has a phrase literally, in any case. Most texts already fail the `like` pattern, which costs less than the
 * regular expression.
 */
function says(text: RawBuilder<unknown>, phrase: string): RawBuilder<unknown> {
	return sql`(lower(${text} collate "C") like ${lettersInOrder(phrase)} and ${text} ~* ${patternOf(phrase)})`
}

/** A pattern of `like` that every text with this phrase matches. Only ASCII is in lower case there. */
function lettersInOrder(phrase: string): string {
	const letters = isOption(phrase) ? phrase : phrase.replace(/[^\p{L}\p{N}]+/gu, '%')
	return `%${letters.replace(/[^a-z0-9%-]+/gi, '%').toLowerCase()}%`
}

/**
 * A regular expression for a phrase with any spaces and punctuation between its words, or the target of a link; `_` is punctuation in
 * Markdown, but not for PostgreSQL. An option does not match within a longer one.
 */
function patternOf(phrase: string): string {
	if (isOption(phrase)) return `(^|[^-\\w])${phrase}(?!-?\\w)`
	const words = phrase.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
	return words
		.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '.'))
		.join('(\\]\\(([^()\\s]|\\([^()\\s]*\\))*(\\s+"[^"]*")?\\)|\\]\\[[^\\]]*\\]|\\W|_)+')
}

export interface CommentHitRow {
	question_id: number
	comment_id: number
	/** The author's. */
	name: string
	/** Its beginning, as HTML that may be truncated anywhere. */
	body_start: string
}

/** The number of first comments of a thread that are searched, as its search document contains no more. */
const MAX_COMMENTS = 300

/** Comments that are read per question, and characters per comment. */
const MAX_READ = 6
const MAX_CHARACTERS = 4_000

/**
 * Comments of these questions that contain the beginning of any of the words, in reading order.
 * @param lexemes as in {@link MatchedRow}
 */
export async function commentRows(lexemes: string[], ids: number[]): Promise<CommentHitRow[]> {
	// `ilike` would convert each comment to lower case once per word, by the rules of all of Unicode.
	const letters = lexemes.some((word) => /[^ -~]/.test(word))
		? sql`start`
		: sql`(case when octet_length(start) > length(start) then unaccent(start) else start end) collate "C"`
	// `pre-commit` has the lexeme precommit.
	const joined = sql`replace(${letters}, '-', '')`
	const { rows } = await sql<CommentHitRow>`
		select q.id as question_id, c.id as comment_id, users.name, c.body_start
		from unnest(${ids}::int[]) q (id) cross join lateral (
			select id, author_id, ${startOf(sql`body_html`, MAX_CHARACTERS)} as body_start from (
				select id, author_id, body_html, path, ${startOf(sql`body`, MAX_CHARACTERS)} as start
				from comments where question_id = q.id and status = 'published' order by path limit ${MAX_COMMENTS}) early
			where lower(${joined}) like any (${lexemes.map(lettersOf)}::text[]) limit ${MAX_READ}) c
		join users on users.id = c.author_id`.execute(db())
	return rows
}

/** The letters at the beginning of a word, without hyphens: before its ending and before the changes by search_text. */
function lettersOf(lexeme: string): string {
	const spelling = lexeme.replace('qplusplus', '++').replace('qsharp', '#').replace('dotqnet', '.net')
	const start = spelling.slice(0, Math.max(3, spelling.length - 1))
	return `%${start.replaceAll('-', '').replace(/[\\%]/g, '_')}%`
}
