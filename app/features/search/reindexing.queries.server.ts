import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { runInBatches } from '~/platform/jobs/batch-run.server.ts'

/** Questions that are looked through per transaction. */
const BATCH = 200
/** Questions that are written per transaction: whoever comments on one of them waits until its commit. */
const MAX_WRITTEN = 20
/** Comments that `whole_document` takes. A longer document, which grew by each comment, would lose the others. */
const MAX_COMMENTS = 300

/**
 * Rebuilds the search documents of questions after a migration has changed `search_text` and inserted a row into `reindexing`. Runs
 * every minute in one process of the site, and continues where the last run ended.
 */
export function reindexQuestions(): Promise<void> {
	return runInBatches(reindexBatch)
}

/**
 * Reindexes the next questions, in the order of ids. Only documents with letters or signs beyond ASCII: migration 211 changed no others.
 * @returns whether there may be more
 */
function reindexBatch(): Promise<boolean> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const { rows } = await sql<{ id: number; is_outdated: boolean }>`
				select id, comment_count <= ${MAX_COMMENTS} and octet_length(search::text) > length(search::text) as is_outdated
				from questions
				where id > (select after_id from reindexing for update) and status = 'published' order by id limit ${BATCH}`.execute(
				trx,
			)
			const outdated = rows.filter((row) => row.is_outdated).slice(0, MAX_WRITTEN)
			const last = outdated.length === MAX_WRITTEN ? outdated.at(-1) : rows.at(-1)
			if (!last) {
				await sql`delete from reindexing`.execute(trx)
				return false
			}
			const ids = outdated.map(({ id }) => id)
			// An update that waited for a concurrent comment would make the document without it.
			await sql`select from questions where id = any(${ids}::int[]) order by id for update`.execute(trx)
			await sql`
				update questions set search = whole_document(questions)
				where id = any(${ids}::int[]) and status = 'published'`.execute(trx)
			await sql`update reindexing set after_id = ${last.id}`.execute(trx)
			return true
		})
}
