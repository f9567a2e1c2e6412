import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Sets the sequence, so that the next member gets the id after this one. */
export async function setNextMemberId(id: number): Promise<void> {
	await sql`select setval(pg_get_serial_sequence('users', 'id'), ${id}::int)`.execute(db())
}

/** The indexed members with their terms, in an order of the community, computed without the index. */
export async function listIndexed(order: 'joined' | 'seen'): Promise<{ id: number; terms: number[] }[]> {
	const { rows } = await sql<{ id: number; terms: number[]; seen: number }>`
		select user_id as id, terms, extract(epoch from seen_at)::float8 as seen from member_search`.execute(db())
	return rows.sort((one, other) => (order === 'seen' ? other.seen - one.seen || other.id - one.id : other.id - one.id))
}

/** The counters of terms computed from the rows: term → members. Words of long texts are not counted, and have 1. */
export async function recountTerms(): Promise<{ id: number; members: number }[]> {
	const { rows } = await sql<{ id: number; members: number }>`
		select id, case when kind in ('about', 'details') then 1
			else (select count(*)::int from member_search where member_search.terms @> array[terms.id]) end as members
		from terms order by id`.execute(db())
	return rows
}
