/** The length of one run and the pause after each batch, in milliseconds. Two jobs run at a time, and others wait while both are such runs. */
const MAX_RUN_MS = 20_000
const PAUSE_MS = 20

/**
 * A run of a job that runs every minute and does much work in small transactions: the next run continues where this one ends. Where single
 * items may fail and the others are still to be processed, use `BatchRun`.
 * @param batch one of these transactions. Returns whether there may be more
 */
export async function runInBatches(batch: () => Promise<boolean>): Promise<void> {
	const until = Date.now() + MAX_RUN_MS
	while ((await batch()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
