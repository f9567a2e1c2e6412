import { type RawBuilder, sql } from 'kysely'

/**
 * The condition that a row of `queries q` is among the newest: in a block of 4,096 ids, which the indexes queries_found and
 * queries_title begin with, counted from the newest block, which may have few.
 * @param from first block, 0 for the newest
 * @param until the first block that is no longer meant
 */
export function inNewestBlocks(from: number, until: number): RawBuilder<unknown> {
	return sql`(q.id >> 12) = any (array(select (select max(id) >> 12 from queries) - n from generate_series(${from}::int, ${until - 1}::int) n))`
}
