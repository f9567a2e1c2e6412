import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { AttemptLimit } from './limits.server.ts'

/** The seconds to wait after `count` attempts. */
function waitAfter({ free, waits }: AttemptLimit): RawBuilder<number> {
	return sql`case when attempts.count < ${free} then 0
		else (${[...waits]}::int[])[least(attempts.count - ${free} + 1, ${waits.length})] end`
}

/**
 * When the next attempt may be made. Uses the clock, not the transaction's time, as others may have counted while this one waited for the
 * row lock.
 */
function freeAt(limit: AttemptLimit): RawBuilder<Date> {
	return sql`attempts.last_at + make_interval(secs => ${waitAfter(limit)})`
}

/** Locks a counter until the transaction ends. @returns the time of the last attempt, exactly as stored; null for none */
export async function lockLastAttempt(trx: Executor, key: string): Promise<string | null> {
	const { rows } = await sql<{ at: string }>`
		select last_at::text as at from attempts where key = ${key} for update`.execute(trx)
	return rows[0]?.at ?? null
}

/** Takes back an attempt and its wait, unless others were counted since. @param taken the times of the attempt and of the one before it */
export async function refundAttempt(
	trx: Executor,
	taken: { key: string; at: string | null; before: string | null },
): Promise<void> {
	const { key, at, before } = taken
	await sql`
		update attempts set count = greatest(0, count - 1),
			last_at = case when last_at = ${at}::timestamptz then coalesce(${before}::timestamptz, last_at) else last_at end
		where key = ${key}`.execute(trx)
}

/**
 * Counts an attempt unless it has to wait. If the last attempt is in the future, the clock was set back, and there is no wait.
 * @returns whether it was counted
 */
export async function tryToCount(trx: Executor, key: string, limit: AttemptLimit): Promise<boolean> {
	const { rows } = await sql`
		insert into attempts (key, count, last_at) values (${key}, 1, clock_timestamp())
		on conflict (key) do update set last_at = clock_timestamp(), count = case
			when attempts.last_at < clock_timestamp() - make_interval(secs => ${limit.forgottenAfter}) then 1
			else attempts.count + 1 end
		where ${freeAt(limit)} <= clock_timestamp() or attempts.last_at > clock_timestamp()
		returning key`.execute(trx)
	return rows.length > 0
}

/** The remaining wait in seconds. */
export async function secondsToWait(trx: Executor, key: string, limit: AttemptLimit): Promise<number> {
	const { rows } = await sql<{ seconds: number }>`
		select ceil(extract(epoch from ${freeAt(limit)} - clock_timestamp()))::float8 as seconds
		from attempts where key = ${key}`.execute(trx)
	return Math.max(1, rows[0]?.seconds ?? 1)
}

/** The number of attempts for these keys, with the last one at most this many seconds ago. */
export async function readAttempts(
	asked: { key: string; seconds: number }[],
	executor: Executor = db(),
): Promise<Map<string, number>> {
	const { rows } = await sql<{ key: string; count: number }>`
		select attempts.key, attempts.count
		from unnest(${asked.map(({ key }) => key)}::text[], ${asked.map(({ seconds }) => seconds)}::int[]) as asked (key, seconds)
		join attempts using (key) where attempts.last_at > now() - make_interval(secs => asked.seconds)`.execute(executor)
	return new Map(rows.map(({ key, count }) => [key, count]))
}

/** Resets the counters of attempts with these keys. */
export async function deleteAttempts(keys: string[]): Promise<void> {
	await sql`delete from attempts where key = any(${keys})`.execute(db())
}

/** Subtracts one attempt from each of these counters, in the order in which a login counts: the account, its address, the network. */
export async function takeBackAttempts(keys: string[]): Promise<void> {
	await sql`
		with locked as (select key from attempts where key = any(${keys}) order by key for update)
		update attempts set count = greatest(0, count - 1) from locked where attempts.key = locked.key`.execute(db())
}

/** Deletes expired counters: the longest wait is eight days, with an hour's tolerance for clocks that differ. */
export async function sweepRateLimits(): Promise<void> {
	await sql`delete from attempts where last_at < now() - interval '8 days'`.execute(db())
	await sql`delete from rate_limits where expire < extract(epoch from now() - interval '1 hour') * 1000`.execute(db())
}
