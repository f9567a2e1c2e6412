import { log } from '~/lib/log.server.ts'
import { listMembersAfter, reindexIfStale } from './terms.queries.server.ts'

/** Members compared in one transaction, so that nobody waits long for its locks. */
const BATCH_SIZE = 200

/**
 * Compares all members' documents with their profiles, in batches, and corrects those that differ, such as after changes made
 * outside of the site. Correct ones are neither locked nor written.
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
