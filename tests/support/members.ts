import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Has the next member get the id after this one, as if so many had joined before. */
export async function placeAfter(id: number): Promise<void> {
	await sql`select setval(pg_get_serial_sequence('users', 'id'), ${id}::int)`.execute(db())
}

/** What the counters of terms should be, counted from the rows: term → members. Words of long texts are not counted, and say 1. */
export async function recountTerms(): Promise<{ id: number; members: number }[]> {
	const { rows } = await sql<{ id: number; members: number }>`
		select id, case when kind in ('about', 'details') then 1
			else (select count(*)::int from member_search where member_search.terms @> array[terms.id]) end as members
		from terms order by id`.execute(db())
	return rows
}
