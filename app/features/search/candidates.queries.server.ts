import { type RawBuilder, sql } from 'kysely'
import { conditionsBesideWords, type SearchScope, walkBlocks } from './scope.queries.server.ts'

/**
 * Matches that are ranked, as ranking reads each document: the newest ones with matches in the title, and the newest
 * ones with matches anywhere. Several words distinguish questions better than one. A phrase is found by its words;
 * their order is checked later.
 */
export const MAX_CANDIDATES = {
	word: { titled: 100, anywhere: 150 },
	words: { titled: 200, anywhere: 300 },
	phrase: { titled: 200, anywhere: 1_500 },
}
/**
 * The number of newest blocks, of 4,096 questions each, from which the number of matches is estimated. Titles have fewer matches: two
 * blocks suffice to tell that most of their scans would not stop early.
 */
const near = { titled: 2, anywhere: 6 }
/**
 * What a search reads, in matches of 4 µs: scanning one more block, and searching all questions at once, for each block of them and beside
 * the matches. The scan goes on where it is likely to take less than the other, and for up to three times as far as it is likely to take.
 */
const reading = { block: 60, allOfBlock: 4 }
/** Whether a question is solved is not in the index, so that the rows of all matches are read, some three for each that is in the state. */
const readPerFound = { byIndex: 1, byState: 3 }
/** Up to this number of matches, all questions are searched in one index scan. */
const rare = 2_000

/**
 * Common table expressions that end with `candidates (id, ctid)`, for a phrase with `others (id, ctid)`, without those in `titled`.
 * `wanted (words)`, a materialized tsquery, must come before. There are two sets: matches anywhere and, if those exceed the number that
 * is ranked, also matches in the title; each is limited to the newest by id. For a phrase these are questions with its words: the caller
 * checks their order, and matches in the title come first.
 * @param words what was searched for, from which `wanted` was made
 * @param kind one word, several, or with a phrase among them
 * @param checked for a phrase: tables that check `titled (id)`, each with a comma, and a condition for whether more are needed
 */
export function candidateRows(
	words: string,
	kind: keyof typeof MAX_CANDIDATES,
	scope: SearchScope,
	checked?: { tables: RawBuilder<unknown>; wantsMore: RawBuilder<unknown> },
): RawBuilder<unknown> {
	// A sign may join words, as in `UTF_8`, so that they are found like a phrase. Only PostgreSQL knows whether it does.
	const mayBePhrase = /[^\p{L}\p{M}\s]/u.test(words)
	const most = (set: 'titled' | 'anywhere') => MAX_CANDIDATES[mayBePhrase ? 'phrase' : kind][set]
	const set = (name: 'titled' | 'anywhere', document: string, needed: RawBuilder<unknown>) =>
		setOf(name, document, most(name), needed, scope)
	const anywhere = set('anywhere', 'q.search', checked?.wantsMore ?? sql`true`)
	const isFull = sql`(select count(*) from anywhere) = (select anywhere from asked)`
	const titled = set('titled', 'title_document(q.title)', checked ? sql`true` : isFull)
	const bound = (set: 'titled' | 'anywhere') => {
		const of = (some: keyof typeof MAX_CANDIDATES) => sql`${MAX_CANDIDATES[some][set]}::int`
		// “why does it fail” has only one significant word.
		const ofWords =
			kind === 'words' ? sql`case when numnode(words) = 1 then ${of('word')} else ${of('words')} end` : of(kind)
		if (kind === 'phrase' || !mayBePhrase) return ofWords
		return sql`case when words::text ~ '<(-|[0-9]+)>' and words::text !~ '!' then ${of('phrase')} else ${ofWords} end`
	}
	// The index finds words, not their order. Exclusions must stay exact: a looser one would exclude more.
	return sql`
		asked as materialized (
			select case when words::text like '%!%' then words else regexp_replace(words::text, '<(-|[0-9]+)>', '&', 'g')::tsquery end as words,
				${isRare(words, scope)} as rare, (select max(id) >> 12 from questions) as top,
				${bound('titled')} as titled, ${bound('anywhere')} as anywhere
			from wanted),
		${
			checked
				? sql`${titled}, ${checked.tables} ${anywhere}, others as (select * from anywhere where id not in (select id from titled))`
				: sql`${anywhere}, ${titled}, candidates as (select * from anywhere union all select * from titled where id not in (select id from anywhere))`
		}`
}

/**
 * Whether so few questions can match that all are searched at once: by the rarest word, as counted in the newest questions within
 * the last hour, by the rarest tag, by alternative tags together, or by the authors' questions.
 */
function isRare(words: string, { tags, eitherTags, users }: SearchScope): RawBuilder<unknown> {
	const byUser = sql`(select count(*) from (
		select from questions where author_id = any(${users}::int[]) and status = 'published' limit ${rare + 1}) asked) <= ${rare} or`
	const byTag = sql`coalesce((select min(question_count) from tags where name = any(${tags}::text[])) <= ${rare}, false) or`
	const byEither = eitherTags.map(
		(either) =>
			sql`coalesce((select sum(question_count) from tags where name = any(${either}::text[])) <= ${rare}, false) or`,
	)
	const byTags = tags.length > 0 ? [byTag, ...byEither] : byEither
	return sql`(${users ? byUser : sql``} ${byTags.length > 0 ? sql.join(byTags, sql` `) : sql``} words::text !~ '[|!]' and coalesce((
		select min(coalesce(counted.documents, 0)) * (select value from counters where name = 'questions')
			<= ${rare}::bigint * (select greatest(documents, 1) from similar_totals)
		from unnest(tsvector_to_array(to_tsvector('english', search_text(${words})))) as lexeme
		left join lateral (select documents from similar_words where word = lexeme limit 1) counted on true), true))`
}

/**
 * One named set: from the newest blocks and those behind them, or from all questions; empty where `needed` is false. Each is an
 * optimization fence: the planner must not scan all questions in chronological order. `ctid` locates a row within this statement, so that
 * its document is read without another index lookup.
 * @param most a bound that the planner knows
 */
function setOf(
	name: 'titled' | 'anywhere',
	document: string,
	most: number,
	needed: RawBuilder<unknown>,
	scope: SearchScope,
): RawBuilder<unknown> {
	const part = (which: string) => sql.raw(`${name}_${which}`)
	const isInRows = [scope.solved, scope.unsolved].some((state) => state !== undefined) || scope.unanswered === false
	const read = isInRows ? readPerFound.byState : readPerFound.byIndex
	const matching = sql`${sql.raw(document)} @@ (select words from asked) and ${conditionsBesideWords(scope, sql`true`)}`
	const blocks = (from: RawBuilder<unknown>, until: RawBuilder<unknown>, isWanted: RawBuilder<unknown>) => {
		const rows = walkBlocks(matching, from, until, ['id', 'ctid'], sql`(select top from asked)`)
		return publishedOf(sql`${rows} where ${isWanted}`)
	}
	const isAllNeeded = sql`(select way = 'all' or (way = 'walk' and (select count(*) from ${part('far')}) < missing) from ${part('next')})`
	const all = sql`select q.id, q.ctid from questions q where ${isAllNeeded} and ${matching}`
	const newest = sql`select id, ctid from (${all} offset 0) m order by id desc`
	return sql`
${part('near')} as materialized (
${blocks(sql`0`, sql`${near[name] - 1}::int`, sql`(select not rare from asked) and ${needed}`)} limit (select ${sql.raw(name)} from asked)),
${part('next')} as materialized (
select missing, ${sql.lit(3 * near[name])} * missing / greatest(found, 1) as further,
case when not ${needed} then 'none' when rare then 'all' when missing <= 0 or top < ${sql.lit(near[name])} then 'none'
when ${sql.lit(near[name] * reading.block)} * missing <= found * top * (${sql.lit(reading.allOfBlock)} + ${sql.lit(read)} * found / ${sql.lit(near[name])})
then 'walk' else 'all' end as way
from (select rare, top, found, ${sql.raw(name)} - found as missing from asked, (select count(*) as found from ${part('near')}) counted) known),
${part('far')} as materialized (
${blocks(sql`${near[name]}::int`, sql`(select least(top, ${sql.lit(near[name])} + further)::int from asked, ${part('next')})`, sql`(select way = 'walk' from ${part('next')})`)}
limit (select missing from ${part('next')})),
${part('any')} as materialized (
${publishedOf(newest)} limit (select ${sql.raw(name)} from asked)),
${sql.raw(name)} as (
select id, ctid from (
select * from ${part('near')} where not exists (select from ${part('any')})
union all select * from ${part('far')} where not exists (select from ${part('any')})
union all select * from ${part('any')}) either limit ${sql.lit(most)})`
}

/**
 * These rows in their order, without those of unpublished questions. The status is stored behind the texts of a question: reading it of all
 * matches takes longer than finding them. An index has the few that are not published; a subselect keeps the planner from joining them, which
 * would read all rows.
 */
export function publishedOf(rows: RawBuilder<unknown>): RawBuilder<unknown> {
	return sql`select m.id, m.ctid from (${rows} offset 0) m
where (select id from questions where id = m.id and status <> 'published') is null`
}
