import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { eventually } from './eventually.ts'

/** The number of statements in this test's database that wait for a lock. @param executor a transaction, for a test that has all connections */
export async function countWaiting(executor: Executor = db()): Promise<number> {
	// In a transaction, PostgreSQL lists the connections once, and would not show one that is opened later.
	await sql`select pg_stat_clear_snapshot()`.execute(executor)
	const { rows } = await sql`
		select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(executor)
	return rows.length
}

/**
 * Makes calls overlap in one certain way: each begins once those before it wait for a lock, or have ended. The lock is held by another
 * transaction until then.
 * @param hold takes the lock
 * @returns how each of the calls ended
 */
export async function queuedBehind<Result>(
	hold: (trx: Executor) => Promise<unknown>,
	calls: readonly (() => Promise<Result>)[],
): Promise<PromiseSettledResult<Result>[]> {
	const begun: Promise<Result>[] = []
	let ended = 0
	const end = () => {
		ended += 1
	}
	await db()
		.transaction()
		.execute(async (trx) => {
			await hold(trx)
			for (const call of calls) {
				const running = call()
				running.then(end, end)
				begun.push(running)
				await eventually(async () => {
					if (ended + (await countWaiting()) < begun.length) throw new Error('A call neither waits nor ends.')
				}, 20_000)
			}
			if (ended === begun.length) throw new Error('No call needs the lock.')
		})
	return Promise.allSettled(begun)
}
