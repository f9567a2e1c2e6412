import { type RawBuilder, sql } from 'kysely'
import { inNewestBlocks } from './blocks.queries.server.ts'
import { conditions, type Scope } from './scope.queries.server.ts'

/** Ranking reads each document: of each of the two sets of candidates the newest this many are ranked. */
const mostRanked = 500
/** A phrase is found by its words, and each document with all of them is read for their order. */
const mostReadForPhrase = 2_000
/**
 * Where candidates are looked for, one stage after the other until there are enough: so many of the newest blocks of 4,096
 * queries, then more, then all. A word with too few matches in one stage is rare enough for the next: 500 are less than
 * every 8th query of the first stage, every 73rd of the second, every 400th of the third, so that all of a million queries
 * have about 2,500 of a word that is looked for in all.
 */
const stages = [
	{ from: 0, until: 2 },
	{ from: 2, until: 10 },
	{ from: 10, until: 50 },
] as const

/**
 * Common table expressions that end with `candidates (id)`; `wanted (words)`, a materialized tsquery, must stand before.
 * Two sets: matches in the title, and matches anywhere; of each the newest by id, {@link mostRanked} of them, as far as
 * there are more. Where the words are a phrase these are queries that have its words: the order is the caller's to check.
 */
export function candidateRows(scope: Scope): RawBuilder<unknown> {
	return sql`
		asked as materialized (
			-- The index finds words and not their order. What is to be left out must not be loosened: fewer would be found.
			select case when words::text like '%!%' then words else regexp_replace(words::text, '<(-|[0-9]+)>', '&', 'g')::tsquery end as words,
				case when words::text ~ '<(-|[0-9]+)>' then ${mostReadForPhrase}::int else ${mostRanked}::int end as most,
				(select max(id) >> 12 from queries) as top
			from wanted),
		${setOf('titled', 'title_document(q.title)', scope)},
		${setOf('anywhere', 'q.search', scope)},
		candidates as (select id from titled union select id from anywhere)`
}

/** The stages of one set, and the set under its name. Each stage is a wall to the planner: it must not walk all queries by time. */
function setOf(name: string, document: string, scope: Scope): RawBuilder<unknown> {
	const stage = (number: number) => sql.raw(`${name}_${number}`)
	const matching = sql`${sql.raw(document)} @@ (select words from asked) and ${conditions(scope)}`
	const enough = (before: number) => {
		const counts = Array.from({ length: before }, (_, number) => sql`(select count(*) from ${stage(number)})`)
		return counts.length > 0 ? sql`${sql.join(counts, sql` + `)} < (select most from asked) and` : sql``
	}
	const most = sql`(select most from asked)`
	const blocks = stages.map(
		({ from, until }, number) => sql`
		${stage(number)} as materialized (
			with matching as materialized (
				select q.id from queries q where ${enough(number)} ${matching}
				and ${inNewestBlocks(from, until)})
			select id from matching order by id desc limit ${most})`,
	)
	const before = stages.at(-1)?.until ?? 0
	return sql`${sql.join(blocks)},
		${stage(stages.length)} as materialized (
			with matching as materialized (
				select q.id from queries q where ${enough(stages.length)} (select top from asked) >= ${before}::int and ${matching})
			select id from matching order by id desc limit ${most}),
		${sql.raw(name)} as (${sql.join(
			[...stages.keys(), stages.length].map((number) => sql`select id from ${stage(number)}`),
			sql` union `,
		)})`
}
