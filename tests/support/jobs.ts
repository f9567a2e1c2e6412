import { sql } from 'kysely'
import { beforeAll } from 'vitest'
import { type AccountMail, sendAccountMail } from '~/features/accounts/registration/account-mails.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import type { Mail } from '~/platform/mail/mail.server.ts'

/** Creates the tables of the job queue. No worker runs: queued jobs stay for the test to inspect. */
export function useJobTables(): void {
	beforeAll(async () => {
		await startJobs()
		await stopJobs()
	})
}

/** The queued mails to an address, oldest first. */
export async function queuedMails(to: string): Promise<Mail[]> {
	const { rows } = await sql<{ payload: Mail }>`
		select payload from graphile_worker._private_jobs where payload ->> 'to' = ${to} order by id`.execute(db())
	return rows.map(({ payload }) => payload)
}

export interface SentMail {
	to: string
	subject: string
	text: string
}

/** Runs the queued account-mail jobs, as a worker would. Only where no worker runs. */
export async function deliverAccountMails(): Promise<void> {
	const { rows } = await sql<{ id: string; payload: AccountMail }>`
		delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
		where task.id = job.task_id and task.identifier = 'account-mail' returning job.id, payload`.execute(db())
	const inOrder = rows.toSorted((one, other) => Number(one.id) - Number(other.id))
	for (const { payload } of inOrder) await sendAccountMail(payload)
}

/** The queued mails to one address or to all, oldest first. */
export async function sentMails(to?: string): Promise<SentMail[]> {
	await deliverAccountMails()
	const { rows } = await sql<{ payload: SentMail }>`
		select payload from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
		where task.identifier = 'send-mail' order by job.id`.execute(db())
	return rows.map(({ payload }) => payload).filter((mail) => to === undefined || mail.to === to)
}

/** The token in the last mail to an address, or ''. */
export async function mailedToken(to: string): Promise<string> {
	return /token=(\S+)/.exec((await sentMails(to)).at(-1)?.text ?? '')?.[1] ?? ''
}

/** Resets rate limits and queued mails, so that tests of one file do not affect each other. */
export async function resetCounts(): Promise<void> {
	await sql`truncate rate_limits, attempts, account_mails`.execute(db())
}
