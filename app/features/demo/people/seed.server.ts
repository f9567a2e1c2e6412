import { db } from '~/platform/db/db.server.ts'
import { personOf } from './people.ts'
import {
	countSeeded,
	hasAccounts,
	indexInBulk,
	indexMembers,
	insertPeople,
	settleTables,
} from './seed.queries.server.ts'

export const siteHasAccounts = hasAccounts

/** So many members are one transaction: what an interruption can undo. */
const batchSize = 4_000

interface Options {
	onProgress: (done: number, total: number) => void
	/** Stops after the batch that is being written. */
	signal?: AbortSignal
}

/**
 * Brings the number of invented members to `total`. The same number always makes the same people, so a second run of the
 * same size changes nothing and one that was stopped goes on.
 * @returns how many members, and rows in all, were written
 */
export async function seedMembers(total: number, { onProgress, signal }: Options) {
	const written = { members: 0, rows: 0 }
	for (let done = await countSeeded(); done < total && !signal?.aborted; ) {
		const size = Math.min(batchSize, total - done)
		const first = done + 1
		const people = Array.from({ length: size }, (_, index) => personOf(first + index))
		await db()
			.transaction()
			.execute(async (trx) => {
				await indexInBulk(trx)
				const { ids, rows } = await insertPeople(trx, people)
				await indexMembers(trx, ids)
				written.rows += rows + ids.length
			})
		written.members += size
		done += size
		onProgress(done, total)
	}
	if (written.members > 0) await settleTables()
	return written
}
