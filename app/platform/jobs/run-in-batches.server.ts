/** Less than the minute after which the next run begins. */
const MAX_RUN_MS = 50_000

/**
 * A run of a job that runs every minute and does much work in small transactions: the next run continues where this one ends. Where single
 * items may fail and the others are still to be processed, use `BatchRun`.
 * @param batch one of these transactions. Returns whether there may be more
 */
export async function runInBatches(batch: () => Promise<boolean>): Promise<void> {
	const until = Date.now() + MAX_RUN_MS
	let hasMore = true
	while (hasMore && Date.now() < until) hasMore = await batch()
}
