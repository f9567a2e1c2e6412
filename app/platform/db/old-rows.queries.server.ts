import { type RawBuilder, sql } from 'kysely'
import { db } from './db.server.ts'

interface OldRows {
	table: string
	/** The time from which the days count. */
	since: string
	days: number
	/** Rows at most. What somebody else holds at this moment is left for the next time. */
	limit: number
	/** What else must be true of a row. */
	where?: RawBuilder<unknown>
}

/** Deletes rows that are older than `days`. @returns how many */
export async function deleteOldRows({ table, ...which }: OldRows): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from ${sql.table(table)} where ctid = any(array(${oldRows({ table, ...which })}))`.execute(db())
	return Number(numAffectedRows)
}

/** Empties columns of rows that are older than `days`. @returns how many rows had something in them */
export async function emptyOldRows({ columns, table, ...which }: OldRows & { columns: string[] }): Promise<number> {
	const filled = sql.join(
		columns.map((column) => sql`${sql.ref(column)} is not null`),
		sql` or `,
	)
	const empty = columns.map((column) => sql`${sql.ref(column)} = null`)
	const { numAffectedRows = 0n } = await sql`
		update ${sql.table(table)} set ${sql.join(empty)}
		where ctid = any(array(${oldRows({ table, ...which, where: sql`(${filled})` })}))`.execute(db())
	return Number(numAffectedRows)
}

function oldRows({ table, since, days, limit, where = sql`true` }: OldRows): RawBuilder<unknown> {
	return sql`select ctid from ${sql.table(table)}
		where ${sql.ref(since)} < now() - make_interval(days => ${days}) and ${where} limit ${limit} for update skip locked`
}
