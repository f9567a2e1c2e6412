import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { isPast } from '~/platform/db/recent.server.ts'

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
