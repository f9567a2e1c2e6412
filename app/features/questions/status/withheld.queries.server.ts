import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { type QueryPageRow, queryJoins, queryPageColumns } from '../questions.queries.server.ts'

export interface WithheldRow extends QueryPageRow {
	withheld: 'hidden' | 'waiting' | 'merged'
	withheld_reason: string
	merged_into: number | null
}

/** A query that is out of the forum without being deleted. */
export async function findWithheldRow(id: number): Promise<WithheldRow | undefined> {
	const { rows } = await sql<WithheldRow>`
		select ${queryPageColumns}, q.withheld, q.withheld_reason, q.merged_into
		from queries q ${queryJoins} where q.id = ${id} and q.withheld is not null`.execute(db())
	return rows[0]
}

export interface MergedRow {
	id: number
	merged_into: number
	title: string
	username: string
	category_slug: string
}

/** A query that was merged into another one, as far as its address and title. */
export async function findMergedRow(id: number): Promise<MergedRow | undefined> {
	const { rows } = await sql<MergedRow>`
		select q.id, q.merged_into, q.title, u.username, c.slug as category_slug
		from queries q ${queryJoins} where q.id = ${id} and q.merged_into is not null`.execute(db())
	return rows[0]
}

/** Address facts of a query, whatever became of it. */
export async function findPlaceOfQuery(
	id: number,
): Promise<{ id: number; username: string; category_slug: string } | undefined> {
	const { rows } = await sql<{ id: number; username: string; category_slug: string }>`
		select q.id, u.username, c.slug as category_slug from queries q ${queryJoins} where q.id = ${id}`.execute(db())
	return rows[0]
}
