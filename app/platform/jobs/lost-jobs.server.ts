import { log } from '~/lib/log.server.ts'
import { isDatabaseAway } from '~/platform/db/db.server.ts'
import { releaseLostJobs, renewJobLocks } from './lost-jobs.queries.server.ts'

/*
 * A killed process leaves its jobs locked, and graphile-worker unlocks them after four hours: a mail to reset a password would come
 * too late. So each process renews the locks of its jobs, and unlocks those that nobody renews.
 */

/** Milliseconds between two renewals. */
const BEAT_MS = 15_000

/**
 * Renews the locks of a process's jobs, and unlocks those of processes that were killed.
 * @param holder what the locks of this process's jobs name
 * @param every milliseconds between two renewals, for tests
 * @returns stops it
 */
export function watchJobLocks(holder: string, every = BEAT_MS): () => void {
	let lastBeat = Number.NEGATIVE_INFINITY
	const beat = async () => {
		try {
			await renewJobLocks(holder)
			// After an outage of the database, or a suspended machine, the others get the time to renew theirs.
			const isSteady = performance.now() - lastBeat < 2 * BEAT_MS
			lastBeat = performance.now()
			const count = isSteady ? await releaseLostJobs() : 0
			if (count > 0) log.warn({ count }, 'jobs of a process that ended in their midst are done again')
		} catch (error) {
			if (!isDatabaseAway()) log.warn({ err: error }, 'the locks of jobs could not be renewed')
		}
	}
	void beat()
	const timer = setInterval(beat, every).unref()
	return () => clearInterval(timer)
}
