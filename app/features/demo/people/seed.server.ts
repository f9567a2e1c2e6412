import { db } from '~/platform/db/db.server.ts'
import { generateMember } from './people.ts'
import {
	analyzeMemberTables,
	countSeeded,
	hasAccounts,
	indexMembers,
	insertPeople,
	skipIndexTriggers,
} from './seed.queries.server.ts'

export const siteHasAccounts = hasAccounts

/** Members per transaction: what an interruption can lose. */
const BATCH_SIZE = 4_000

interface Options {
	onProgress: (done: number, total: number) => void
	/** Stops after the current batch. */
	signal?: AbortSignal
}

/**
 * Raises the number of generated members to `total`. The same number always yields the same members, so running it again changes nothing
 * and an interrupted run continues.
 * @returns the numbers of members, and of all rows, that were inserted
 */
export async function seedMembers(total: number, { onProgress, signal }: Options) {
	const written = { members: 0, rows: 0 }
	for (let done = await countSeeded(); done < total && !signal?.aborted; ) {
		const size = Math.min(BATCH_SIZE, total - done)
		const first = done + 1
		const people = Array.from({ length: size }, (_, index) => generateMember(first + index))
		await db()
			.transaction()
			.execute(async (trx) => {
				await skipIndexTriggers(trx)
				const { ids, rows } = await insertPeople(trx, people)
				await indexMembers(trx, ids)
				written.rows += rows + ids.length
			})
		written.members += size
		done += size
		onProgress(done, total)
	}
	if (written.members > 0) await analyzeMemberTables()
	return written
}
