import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { isRecent } from '~/platform/db/recent.server.ts'

/** Renews the locks of these jobs, where these holders have them. */
export async function renewJobLocks(ids: readonly string[], holders: readonly string[]): Promise<void> {
	await sql`
		update graphile_worker._private_jobs set locked_at = now()
		where id = any(${ids}::bigint[]) and locked_by = any(${holders})`.execute(db())
}

/** Removes jobs that were done, where these holders still have their locks. */
export async function removeJobs(ids: readonly string[], holders: readonly string[]): Promise<void> {
	await sql`
		delete from graphile_worker._private_jobs where id = any(${ids}::bigint[]) and locked_by = any(${holders})`.execute(
		db(),
	)
}

/**
 * Unlocks jobs whose lock nobody renewed for a minute: the process that ran them was killed. As after a failure, the next try waits
 * longer each time, so that a job that kills its process does not do so every minute. @returns how many
 */
export async function releaseLostJobs(): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		update graphile_worker._private_jobs set locked_at = null, locked_by = null, updated_at = now(),
			run_at = greatest(run_at, now()) + make_interval(secs => exp(least(attempts, 10))),
			last_error = 'The process that ran it ended.'
		where locked_at is not null and not ${isRecent('locked_at', '1 minute')}`.execute(db())
	return Number(numAffectedRows)
}
