import type { WorkerEvents } from 'graphile-worker'
import { log } from '~/lib/log.server.ts'
import { isDatabaseUnavailable } from '~/platform/db/db.server.ts'
import { releaseLostJobs, removeJobs, renewJobLocks } from './jobs.queries.server.ts'

/*
 * A killed process leaves its jobs locked, and graphile-worker unlocks them after four hours: a mail to reset a password would come
 * too late. So each process renews the locks of its jobs, and unlocks those that nobody renews.
 */

/** Milliseconds between two renewals. */
const HEARTBEAT_MS = 15_000
/** Milliseconds for which graphile-worker may retry to store that a job failed; its lock is renewed meanwhile. */
const MAX_STORING_MS = 20 * 60_000

/**
 * Renews the locks of a process's jobs, and unlocks those of processes that were killed. Removes jobs that were done while the database was
 * away: graphile-worker gives up after some minutes, and they would run again after the next restart.
 * @param events of the worker pools of this process, before they are created
 * @param every milliseconds between two renewals, for tests
 * @returns stops it
 */
export function watchJobLocks(events: WorkerEvents, every = HEARTBEAT_MS): () => void {
	const holders: string[] = []
	const done = new Set<string>()
	/** Jobs that run, and when others failed. */
	const locked = new Map<string, number | null>()
	let lastHeartbeat = Number.NEGATIVE_INFINITY
	const heartbeat = async () => {
		try {
			const removable = [...done]
			if (removable.length > 0) await removeJobs(removable, holders)
			for (const id of removable) done.delete(id)
			for (const [id, failedAt] of locked)
				if (failedAt !== null && performance.now() - failedAt > MAX_STORING_MS) locked.delete(id)
			await renewJobLocks([...locked.keys()], holders)
			// After an outage of the database, or a suspended machine, other processes first get the chance to renew their locks.
			const isSteady = performance.now() - lastHeartbeat < 2 * HEARTBEAT_MS
			lastHeartbeat = performance.now()
			const count = isSteady ? await releaseLostJobs() : 0
			if (count > 0) log.warn({ count }, 'jobs that a killed process left are retried')
		} catch (error) {
			if (!isDatabaseUnavailable()) log.warn({ err: error }, 'the locks of jobs could not be renewed')
		}
	}
	events.on('job:start', ({ job }) => locked.set(job.id, null))
	events.on('job:error', ({ job }) => locked.set(job.id, performance.now()))
	events.on('job:success', ({ job }) => {
		locked.delete(job.id)
		done.add(job.id)
	})
	events.on('pool:create', ({ workerPool }) => holders.push(workerPool.id))
	events.once('pool:create', () => void heartbeat())
	const timer = setInterval(heartbeat, every).unref()
	return () => clearInterval(timer)
}
