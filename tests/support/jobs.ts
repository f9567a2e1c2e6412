import { sql } from 'kysely'
import { beforeAll } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import type { Mail } from '~/platform/mail/mail.server.ts'

/** Makes the tables in which jobs wait. No worker runs: what is queued stays there for a test to look at. */
export function useJobTables(): void {
	beforeAll(async () => {
		await startJobs()
		await stopJobs()
	})
}

/** The mails that wait to be sent to an address, the oldest first. */
export async function queuedMails(to: string): Promise<Mail[]> {
	const { rows } = await sql<{ payload: Mail }>`
		select payload from graphile_worker._private_jobs where payload ->> 'to' = ${to} order by id`.execute(db())
	return rows.map(({ payload }) => payload)
}
