import { log } from '~/lib/log.server.ts'
import { isDatabaseUnavailable } from '~/platform/db/db.server.ts'
import { releaseLostJobs, renewJobLocks } from './lost-jobs.queries.server.ts'

/*
 * A killed process leaves its jobs locked, and graphile-worker unlocks them after four hours: a mail to reset a password would come
 * too late. So each process renews the locks of its jobs, and unlocks those that nobody renews.
 */

/** Milliseconds between two renewals. */
const HEARTBEAT_MS = 15_000

/**
 * Renews the locks of a process's jobs, and unlocks those of processes that were killed.
 * @param holder the worker pool id in the locks of this process's jobs
 * @param every milliseconds between two renewals, for tests
 * @returns stops it
 */
export function watchJobLocks(holder: string, every = HEARTBEAT_MS): () => void {
	let lastHeartbeat = Number.NEGATIVE_INFINITY
	const heartbeat = async () => {
		try {
			await renewJobLocks(holder)
			// After an outage of the database, or a suspended machine, other processes first get the chance to renew their locks.
			const isSteady = performance.now() - lastHeartbeat < 2 * HEARTBEAT_MS
			lastHeartbeat = performance.now()
			const count = isSteady ? await releaseLostJobs() : 0
			if (count > 0) log.warn({ count }, 'jobs that a killed process left are retried')
		} catch (error) {
			if (!isDatabaseUnavailable()) log.warn({ err: error }, 'the locks of jobs could not be renewed')
		}
	}
	void heartbeat()
	const timer = setInterval(heartbeat, every).unref()
	return () => clearInterval(timer)
}
