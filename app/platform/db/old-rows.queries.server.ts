import { type RawBuilder, sql } from 'kysely'
import { db } from './db.server.ts'

interface OldRows {
	table: string
	/** The column of the time from which days are counted. */
	since: string
	days: number
	/** Maximum rows. Locked rows are left for the next call. */
	limit: number
}

/** Deletes rows that are older than `days`. @returns how many */
export async function deleteOldRows({ table, ...which }: OldRows): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from ${sql.table(table)} where ctid = any(array(${oldRows({ table, ...which })}))`.execute(db())
	return Number(numAffectedRows)
}

/** Sets columns of rows that are older than `days` to null. @returns how many rows changed */
export async function clearOldRows({ columns, table, ...which }: OldRows & { columns: string[] }): Promise<number> {
	const filled = sql.join(
		columns.map((column) => sql`${sql.ref(column)} is not null`),
		sql` or `,
	)
	const empty = columns.map((column) => sql`${sql.ref(column)} = null`)
	const { numAffectedRows = 0n } = await sql`
		update ${sql.table(table)} set ${sql.join(empty)}
		where ctid = any(array(${oldRows({ table, ...which }, sql`(${filled})`)}))`.execute(db())
	return Number(numAffectedRows)
}

/** @param where a further condition on rows */
function oldRows({ table, since, days, limit }: OldRows, where = sql`true`): RawBuilder<unknown> {
	return sql`select ctid from ${sql.table(table)}
		where ${sql.ref(since)} < now() - make_interval(days => ${days}) and ${where} limit ${limit} for update skip locked`
}
