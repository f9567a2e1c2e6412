import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { AttemptLimit } from './limits.server.ts'

/** The seconds to wait after `count` attempts by a limit. */
function waitAfter({ free, waits }: AttemptLimit): RawBuilder<number> {
	return sql`case when attempts.count < ${free} then 0
		else (${[...waits]}::int[])[least(attempts.count - ${free} + 1, ${waits.length})] end`
}

/**
 * When the next attempt may be made. The time of the statement's turn counts, not that of the transaction: others may have
 * counted while this one waited for the row.
 */
function freeAt(limit: AttemptLimit): RawBuilder<Date> {
	return sql`attempts.last_at + make_interval(secs => ${waitAfter(limit)})`
}

/** Holds a counter until the transaction ends. @returns when it counted last, exactly as the database has it; null for never */
export async function lockLastAttempt(trx: Executor, key: string): Promise<string | null> {
	const { rows } = await sql<{ at: string }>`
		select last_at::text as at from attempts where key = ${key} for update`.execute(trx)
	return rows[0]?.at ?? null
}

/**
 * Takes one attempt back, and with it the wait that it began: unless others were counted since, who wait from their own.
 * @param taken when the attempt was counted, and the one before it
 */
export async function refund(
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
 * Counts an attempt unless it has to wait. A last attempt in the future shows that the clock was set back: nobody waits for that.
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

/** How many seconds are left to wait. */
export async function waitLeft(trx: Executor, key: string, limit: AttemptLimit): Promise<number> {
	const { rows } = await sql<{ seconds: number }>`
		select ceil(extract(epoch from ${freeAt(limit)} - clock_timestamp()))::float8 as seconds
		from attempts where key = ${key}`.execute(trx)
	return Math.max(1, rows[0]?.seconds ?? 1)
}

/** How many attempts these keys have counted, the last one at most so many seconds ago. */
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

/** Resets counters of attempts. */
export async function deleteAttempts(keys: string[]): Promise<void> {
	await sql`delete from attempts where key = any(${keys})`.execute(db())
}

/** Subtracts one attempt from each of these counters. */
export async function takeBackAttempts(keys: string[]): Promise<void> {
	await sql`update attempts set count = greatest(0, count - 1) where key = any(${keys})`.execute(db())
}

/** Deletes counters whose time is over: no wait is longer than eight days, and an hour is left for clocks that differ. */
export async function sweepRateLimits(): Promise<void> {
	await sql`delete from attempts where last_at < now() - interval '8 days'`.execute(db())
	await sql`delete from rate_limits where expire < extract(epoch from now() - interval '1 hour') * 1000`.execute(db())
}
