import { sql } from 'kysely'
import { refreshWordCounts } from '~/features/search/similar/similar.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'

/** How many questions of a source there are. */
export async function countSeededQueries(source: string): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from queries where source = ${source}`.execute(db())
	return rows[0]?.count ?? 0
}

/** Ids of the first 5,000 members whose addresses are of this domain. */
export async function listSeedAuthors(domain: string): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from users where email like ${`%@${domain}`} order by id limit 5000`.execute(db())
	return rows.map(({ id }) => id)
}

/** Fresh statistics after a load, without which the planner would still believe in an empty forum. */
export async function settleForum(): Promise<void> {
	for (const table of ['queries', 'comments', 'query_tags', 'tags'])
		await sql`vacuum (analyze) ${sql.id(table)}`.execute(db())
	await refreshWordCounts()
}
