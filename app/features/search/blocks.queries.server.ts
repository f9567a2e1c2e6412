import { type RawBuilder, sql } from 'kysely'

/**
 * The ids of `queries q` that meet a condition, the newest first, from block after block of 4,096 ids, which the indexes
 * queries_found and queries_title begin with. Whatever stops reading, as a limit does, stops the walk in that block: nothing
 * may sort or join behind it. The block is an equality, as the planner takes a list of blocks out of the index again once
 * other conditions seem rare enough to it, which a prepared statement always makes it believe.
 * @param from first block, 0 for the newest, which may have few
 * @param until the last block that is meant
 */
export function walkBlocks(
	where: RawBuilder<unknown>,
	from: RawBuilder<unknown>,
	until: RawBuilder<unknown>,
): RawBuilder<unknown> {
	return sql`select hit.id from generate_series(${from}, ${until}) n cross join lateral (
select q.id from queries q where (q.id >> 12) = (select max(id) >> 12 from queries) - n and ${where} order by q.id desc) hit`
}
