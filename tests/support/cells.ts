import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** The columns that contain the digits of an id, as `table.column`, except usage counts and records of the past. */
export async function cellsWith(digits: string): Promise<string[]> {
	const { rows: tables } = await sql<{ name: string }>`
		select tablename as name from pg_tables where schemaname = 'public'
			and tablename not in ('rate_limits', 'session_revocations')`.execute(db())
	const found = new Set<string>()
	for (const { name } of tables) {
		const { rows } = await sql<{ column: string }>`
			select distinct cell.key as column from ${sql.table(name)} one, jsonb_each_text(to_jsonb(one)) cell
			where position(${digits} in cell.value) > 0`.execute(db())
		for (const { column } of rows) found.add(`${name}.${column}`)
	}
	return [...found]
}
