import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { findOld, lockProgress, takeUnseen, type UnseenRow, writeProgress } from './away.queries.server.ts'
import { messagesLetter } from './letter.server.ts'

/** Messages that are looked at in one transaction. */
const atOnce = 5_000

/**
 * Mails each member what was written to them at least ten minutes ago and they have not seen: one mail for all conversations.
 * Which messages were looked at, and the jobs of the mails, are one transaction: run again, or in two processes, it mails
 * nobody twice of the same.
 * @returns how many mails
 */
export async function mailMessages(): Promise<number> {
	let mails = 0
	for (let more = true; more; ) {
		const step = await mailSome()
		mails += step.mails
		more = step.more
	}
	return mails
}

async function mailSome(): Promise<{ mails: number; more: boolean }> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const after = await lockProgress(trx)
			const upto = after === undefined ? undefined : await findOld(trx, after, atOnce)
			if (after === undefined || upto === undefined) return { mails: 0, more: false }
			const readers = byReader(await takeUnseen(trx, after, upto))
			for (const rows of readers) await addJob('send-mail', messagesLetter(rows), trx)
			await writeProgress(trx, upto)
			return { mails: readers.length, more: true }
		})
}

function byReader(rows: UnseenRow[]): UnseenRow[][] {
	return [...Map.groupBy(rows, (row) => row.user_id).values()]
}
