/** The length of one run in milliseconds. */
const RUN_MS = 50_000

/**
 * A run of a job that runs every minute and does much work in small transactions: the next run continues where this one ends.
 * @param step one of them. Returns whether there may be more
 */
export async function inSteps(step: () => Promise<boolean>): Promise<void> {
	const until = Date.now() + RUN_MS
	let hasMore = true
	while (hasMore && Date.now() < until) hasMore = await step()
}
