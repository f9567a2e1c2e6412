import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** How attempts of one kind are slowed; all times are in seconds. */
export interface Rule {
	/** So many attempts pass without a wait. */
	free: number
	/** The wait after the last free attempt, after the next one, and so on; the last one stays. */
	waits: readonly number[]
	/** After so long without a counted attempt the count begins again. */
	forgottenAfter: number
}

/** The seconds to wait after `count` attempts by a rule. */
function waitAfter({ free, waits }: Rule): RawBuilder<number> {
	return sql`case when attempts.count < ${free} then 0
		else (${[...waits]}::int[])[least(attempts.count - ${free} + 1, ${waits.length})] end`
}

/**
 * When the next attempt may be made. The time of the statement's turn counts, not that of the transaction: others may have
 * counted while this one waited for the row.
 */
function freeAt(rule: Rule): RawBuilder<Date> {
	return sql`attempts.last_at + make_interval(secs => ${waitAfter(rule)})`
}

/**
 * Counts an attempt unless it has to wait. A last attempt in the future shows that the clock was set back: nobody waits for that.
 * @returns whether it was counted
 */
export async function tryToCount(trx: Executor, key: string, rule: Rule): Promise<boolean> {
	const { rows } = await sql`
		insert into attempts (key, count, last_at) values (${key}, 1, clock_timestamp())
		on conflict (key) do update set last_at = clock_timestamp(), count = case
			when attempts.last_at < clock_timestamp() - make_interval(secs => ${rule.forgottenAfter}) then 1
			else attempts.count + 1 end
		where ${freeAt(rule)} <= clock_timestamp() or attempts.last_at > clock_timestamp()
		returning key`.execute(trx)
	return rows.length > 0
}

/** How many seconds are left to wait. */
export async function waitLeft(trx: Executor, key: string, rule: Rule): Promise<number> {
	const { rows } = await sql<{ seconds: number }>`
		select ceil(extract(epoch from ${freeAt(rule)} - clock_timestamp()))::float8 as seconds
		from attempts where key = ${key}`.execute(trx)
	return Math.max(1, rows[0]?.seconds ?? 1)
}

export async function deleteAttempts(keys: string[]): Promise<void> {
	await sql`delete from attempts where key = any(${keys})`.execute(db())
}

export async function takeBackAttempts(keys: string[]): Promise<void> {
	await sql`update attempts set count = greatest(0, count - 1) where key = any(${keys})`.execute(db())
}

/** Sweeps away counters, links, registrations and mails whose time is over. */
export async function sweepWaysIn(): Promise<void> {
	await sql`delete from attempts where last_at < now() - interval '8 days'`.execute(db())
	await sql`delete from verifications where expires_at < now()`.execute(db())
	await sql`delete from email_links where expires_at < now()`.execute(db())
	await sql`delete from registrations where created_at < now() - interval '1 day'`.execute(db())
	await sql`delete from account_mails where sent_at < now() - interval '1 day'`.execute(db())
}
