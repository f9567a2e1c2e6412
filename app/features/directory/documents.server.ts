import { log } from '~/lib/log.server.ts'
import { listMembersAfter, reindexIfStale } from './terms.queries.server.ts'

/** So many members are compared in one transaction, whose locks nobody waits for long. */
const BATCH_SIZE = 200

/**
 * Compares what every member can be found by with what their profile shows, in batches, and corrects what differs: rows that came
 * in by another way than the site's own. Nothing is locked or written where all is right.
 * @returns how many members were corrected
 */
export async function checkDocuments(): Promise<number> {
	let corrected = 0
	for (let last = 0; ; ) {
		const ids = await listMembersAfter(last, BATCH_SIZE)
		const stale = ids.length > 0 ? await reindexIfStale(ids) : []
		if (stale.length > 0) log.warn({ members: stale }, 'The search index did not match the profiles. It does now.')
		corrected += stale.length
		last = ids.at(-1) ?? 0
		if (ids.length < BATCH_SIZE) return corrected
	}
}
