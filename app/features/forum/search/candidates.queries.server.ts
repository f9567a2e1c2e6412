import { type RawBuilder, sql } from 'kysely'
import { inNewestBlocks } from './blocks.queries.server.ts'
import { conditions, type Scope } from './scope.queries.server.ts'

/** Ranking reads each document: the newest this many matches in titles, and so many anywhere, are ranked. */
const most = { titled: 200, anywhere: 300 }
/** A phrase is found by its words, and of the queries that have all of them the newest are read for their order. */
const mostForPhrase = { titled: 200, anywhere: 500 }
/**
 * Where candidates are looked for, one stage after the other until there are enough: so many of the newest blocks of 4,096
 * queries, then more, then all. What has too few matches in one stage is rare enough for the next: 300 are less than every
 * 14th query of the first stage, every 122nd of the second, every 340th of the third, so that all of a million queries have
 * about 3,000 of what is looked for in all. A block costs about 0.2 ms: with more of them, looking through all is cheaper.
 */
const stages = [
	{ from: 0, until: 2 },
	{ from: 2, until: 10 },
	{ from: 10, until: 26 },
] as const
/** What is in at most so many queries is looked for in all of them at once. */
const rare = 2_000

/**
 * Common table expressions that end with `candidates (id)`; `wanted (words)`, a materialized tsquery, must stand before.
 * Two sets: matches anywhere, and where those are more than are ranked also matches in the title; of each the newest by id,
 * as many as are ranked. Where the words
 * are a phrase these are queries that have its words: the order is the caller's to check.
 * @param words what was searched for, which `wanted` was made of
 */
export function candidateRows(words: string, scope: Scope): RawBuilder<unknown> {
	// The index finds words and not their order. What is to be left out must not be loosened: fewer would be found.
	return sql`
		asked as materialized (
			select case when words::text like '%!%' then words else regexp_replace(words::text, '<(-|[0-9]+)>', '&', 'g')::tsquery end as words,
				${isRare(words, scope)} as rare, (select max(id) >> 12 from queries) as top,
				case when phrase then ${mostForPhrase.titled}::int else ${most.titled}::int end as titled,
				case when phrase then ${mostForPhrase.anywhere}::int else ${most.anywhere}::int end as anywhere
			from (select words, words::text ~ '<(-|[0-9]+)>' as phrase from wanted) wanted),
		${setOf('anywhere', 'q.search', sql`true`, scope)},
		${setOf('titled', 'title_document(q.title)', sql`(select count(*) from anywhere) = (select anywhere from asked)`, scope)},
		candidates as (select id from titled union select id from anywhere)`
}

/**
 * Whether so few queries can match that all are looked through at once: by the rarest of the words, as the newest queries
 * were counted within the last hour, or by the rarest tag. What one member asked is always few enough.
 */
function isRare(words: string, { tags, users }: Scope): RawBuilder<unknown> {
	if (users) return sql`true`
	const byTag = sql`coalesce((select min(query_count) from tags where name = any(${tags}::text[])) <= ${rare}, false) or`
	return sql`(${tags.length > 0 ? byTag : sql``} words::text !~ '[|!]' and coalesce((
		select min(coalesce(counted.documents, 0)) * (select value from counters where name = 'queries')
			<= ${rare}::bigint * (select greatest(documents, 1) from similar_totals)
		from unnest(tsvector_to_array(to_tsvector('english', search_text(${words})))) as lexeme
		left join similar_words counted on counted.word = lexeme), true))`
}

/**
 * The stages of one set, and the set under its name; empty where `needed` is false. Each stage is a wall to the planner: it
 * must not walk all queries by time.
 */
function setOf(
	name: keyof typeof most,
	document: string,
	needed: RawBuilder<unknown>,
	scope: Scope,
): RawBuilder<unknown> {
	const stage = (number: number) => sql.raw(`${name}_${number}`)
	const all = sql`(select ${sql.raw(name)} from asked)`
	/** One stage, where those before did not find enough. Its text is short: a long statement would not be kept prepared. */
	const stageOf = (number: number, where: RawBuilder<unknown>) => {
		const before = Array.from({ length: number }, (_, each) => sql`(select count(*) from ${stage(each)})`)
		return sql`${stage(number)} as materialized (
with m as materialized (select q.id from queries q where ${where} and ${needed}
${number > 0 ? sql`and ${sql.join(before, sql`+`)} < ${all}` : sql``} and ${sql.raw(document)} @@ (select words from asked) and ${conditions(scope)})
select id from m order by id desc limit ${all})`
	}
	const last = stages.length
	return sql`${sql.join(stages.map(({ from, until }, number) => stageOf(number, sql`not (select rare from asked) and ${inNewestBlocks(from, until)}`)))},
${stageOf(last, sql`(select rare or top >= ${stages[last - 1]?.until ?? 0}::int from asked)`)},
${sql.raw(name)} as (select id from (${sql.join(
		Array.from({ length: last + 1 }, (_, number) => sql`select id from ${stage(number)}`),
		sql` union all `,
	)}) found order by id desc limit ${all})`
}
