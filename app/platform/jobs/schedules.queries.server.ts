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
