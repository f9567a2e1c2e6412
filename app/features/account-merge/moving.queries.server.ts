import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge, MergeRule } from '~/platform/member-data.ts'

/* The statements that follow the rules of {@link MergeRule}, made of them. Names of tables and columns are those of the manifests. */

/** A column that names a member, and what its feature says of it. */
export interface MovedColumn {
	table: string
	column: string
	rule: MergeRule
	/** What the rows are called, if they are counted. */
	called?: string
}

/** Whether the kept account has a row like `gone`, which then stays alone. */
function hasSame({ table, column }: MovedColumn, columns: readonly string[], keptId: number): RawBuilder<boolean> {
	const same = columns.map((name) => sql`kept.${sql.ref(name)} is not distinct from gone.${sql.ref(name)}`)
	return sql<boolean>`exists (select from ${sql.table(table)} kept
		where ${sql.join([sql`kept.${sql.ref(column)} = ${keptId}`, ...same], sql` and `)})`
}

/** Follows the rule of one column. @returns how many rows are the kept account's by it */
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

/** How many rows of a column there are, and of how many the kept account has the same. */
export interface CountedColumn {
	place: number
	all: number
	same: number
}

/** Counts what each of these columns has of the account that goes, in their order, by one statement. */
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
