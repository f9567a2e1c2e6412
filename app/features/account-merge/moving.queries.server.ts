import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge, MergeRule } from '~/platform/member-data.ts'

/* SQL generated from the {@link MergeRule}s. The names of tables and columns come from the manifests. */

/** A column that references a member, and its merge rule. */
export interface MovedColumn {
	table: string
	column: string
	rule: MergeRule
	/** What the page calls the rows; omitted if they are not counted. */
	called?: string
}

/** Whether the kept account already has the same row as `gone`, which then is not moved. */
function hasSame({ table, column }: MovedColumn, columns: readonly string[], keptId: number): RawBuilder<boolean> {
	const same = columns.map((name) => sql`kept.${sql.ref(name)} is not distinct from gone.${sql.ref(name)}`)
	return sql<boolean>`exists (select from ${sql.table(table)} kept
		where ${sql.join([sql`kept.${sql.ref(column)} = ${keptId}`, ...same], sql` and `)})`
}

/** Applies the rule of one column. @returns the number of rows that the kept account gained */
export async function moveRows(trx: Executor, moved: MovedColumn, { goneId, keptId }: Merge): Promise<number> {
	const { table, column, rule } = moved
	if (rule !== 'moves' && ('step' in rule || 'stays' in rule)) return 0
	const rows = sql`${sql.table(table)} gone where gone.${sql.ref(column)} = ${goneId}`
	if (rule !== 'moves' && 'ends' in rule) {
		await sql`delete from ${rows}`.execute(trx)
		return 0
	}
	if (rule !== 'moves') await sql`delete from ${rows} and ${hasSame(moved, rule.unlessSame, keptId)}`.execute(trx)
	const { numAffectedRows = 0n } = await sql`
		update ${sql.table(table)} set ${sql.ref(column)} = ${keptId} where ${sql.ref(column)} = ${goneId}`.execute(trx)
	return Number(numAffectedRows)
}

/** The number of rows of a column, and for how many the kept account has the same. */
export interface CountedColumn {
	place: number
	all: number
	same: number
}

/** Counts the rows of the merged account for each of these columns, in their order, in one statement. */
export async function countRows(columns: readonly MovedColumn[], { goneId, keptId }: Merge): Promise<CountedColumn[]> {
	const counts = columns.map((counted, place) => {
		const { table, column, rule } = counted
		const isTwin =
			typeof rule === 'object' && 'unlessSame' in rule ? hasSame(counted, rule.unlessSame, keptId) : sql`false`
		return sql`select ${place}::int as place, count(*)::int as all, count(*) filter (where ${isTwin})::int as same
			from ${sql.table(table)} gone where gone.${sql.ref(column)} = ${goneId}`
	})
	const { rows } = await sql<CountedColumn>`${sql.join(counts, sql` union all `)} order by place`.execute(db())
	return rows
}
