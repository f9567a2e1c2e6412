import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { isPast, isRecent } from '~/platform/db/times.server.ts'

/**
 * Deletes scheduled runs recorded before the machine's clock was set back: graphile-worker schedules no others until their
 * time comes again. One that waits is due now.
 */
export async function forgetFutureRuns(): Promise<void> {
	await sql`
		update graphile_worker._private_known_crontabs set last_execution = null where not ${isPast('last_execution')}`.execute(
		db(),
	)
	await sql`
		update graphile_worker._private_jobs set run_at = now()
		where key in (select identifier from graphile_worker._private_known_crontabs) and attempts = 0 and locked_at is null
			and not ${isPast('run_at')}`.execute(db())
}

/**
 * Deletes the permanently failed runs of this work, as a later run replaces them.
 * @param before only runs before this one
 */
export async function forgetFailedRuns(name: string, before?: string): Promise<void> {
	await sql`
		delete from graphile_worker._private_jobs where attempts >= max_attempts and locked_at is null
			and id < ${before ?? null}::bigint is not false
			and task_id = (select id from graphile_worker._private_tasks where identifier = ${name})`.execute(db())
}

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
