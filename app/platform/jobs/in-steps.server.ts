/** The length of one run and the pause after each step, in milliseconds. Two jobs run at a time, and others wait while both are such runs. */
const RUN_MS = 20_000
const PAUSE_MS = 20

/**
 * A run of a job that runs every minute and does much work in small transactions: the next run continues where this one ends.
 * @param step one of them. Returns whether there may be more
 */
export async function inSteps(step: () => Promise<boolean>): Promise<void> {
	const until = Date.now() + RUN_MS
	while ((await step()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
