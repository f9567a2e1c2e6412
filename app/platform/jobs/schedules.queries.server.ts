import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import { isPast } from '~/platform/db/recent.server.ts'

/**
 * Forgets runs of regular work in the future, from before the machine's clock was set back: graphile-worker plans none until their
 * time has come again.
 */
export async function forgetFutureRuns(): Promise<void> {
	await sql`
		update graphile_worker._private_known_crontabs set last_execution = null where not ${isPast('last_execution')}`.execute(
		db(),
	)
}

/** Forgets the runs of this work that failed for good, as another one takes their place. */
export async function forgetFailedRuns(name: string): Promise<void> {
	await sql`
		delete from graphile_worker._private_jobs where attempts >= max_attempts and locked_at is null
			and task_id = (select id from graphile_worker._private_tasks where identifier = ${name})`.execute(db())
}
