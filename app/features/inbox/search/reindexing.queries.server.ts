import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { runInBatches } from '~/platform/jobs/batch-run.server.ts'

/** Messages that are looked through, and at most written, per transaction. Whoever edits one of them waits until its commit. */
const BATCH = 200

/**
 * Rebuilds the search documents of messages after a migration has changed `without_accents` and inserted a row into
 * `reindexing_messages`. Runs every minute in one process of the site, and continues where the last run ended.
 */
export function reindexMessages(): Promise<void> {
	return runInBatches(reindexBatch)
}

/**
 * Reindexes the next messages, in the order of ids. Only documents with letters or signs beyond ASCII: migration 212 changed no others.
 * @returns whether there may be more
 */
function reindexBatch(): Promise<boolean> {
	return db()
		.transaction()
		.execute(async (trx) => {
			// PostgreSQL computes the generated document again where a column that it is made of is written.
			const { rows } = await sql<{ last: number | null }>`
				with next as materialized (
					select id, search from messages
					where id > (select after_id from reindexing_messages for update) order by id limit ${BATCH}),
				outdated as materialized (
					select id from messages where id in (select id from next where octet_length(search::text) > length(search::text))
					order by id for update),
				written as (update messages set body = body where id in (select id from outdated))
				select max(id) as last from next`.execute(trx)
			const last = rows[0]?.last ?? null
			if (last === null) await sql`delete from reindexing_messages`.execute(trx)
			else await sql`update reindexing_messages set after_id = ${last}`.execute(trx)
			return last !== null
		})
}
