import { Kysely, PostgresDialect, type RawBuilder, sql, type Transaction, type TransactionBuilder } from 'kysely'
import type pg from 'pg'
import { isSiteFault } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { codeOf } from '~/lib/system-errors.ts'
import { closeWaitingConnections } from './named-statements.server.ts'
import { Outage } from './outage.server.ts'
import type { Database } from './schema.ts'
import { databaseScope } from './scope.server.ts'
import { SitePool } from './site-pool.server.ts'
import {
	CLIENT_TIMEOUT_MS,
	IDLE_IN_TRANSACTION_TIMEOUT_MS,
	LOCK_TIMEOUT_MS,
	LONG_IDLE_TIMEOUT_MS,
	LONG_LOCK_TIMEOUT_MS,
	LONG_STATEMENT_TIMEOUT_MS,
	SERVER_KEEP_ALIVE,
	STATEMENT_TIMEOUT_MS,
} from './time-limits.server.ts'

/** Where a statement may run: the pool, or the transaction of a use case. */
export type Executor = Kysely<Database> | Transaction<Database>

/**
 * SQLSTATE of transactions that were rolled back, and may succeed when they run again: one that lost a deadlock, one that inserted what
 * another one had just inserted, and one with a reference to a row that was deleted after it was read, such as an account that was merged
 * into another one.
 */
const repeatable = /^(40P01|40001|23503|23505)$/
const MAX_TRIES = 5

/** Runs a transaction, and again when it failed because of others that ran at the same time; at most five times. */
export async function withTransactionRetries<Result>(run: () => Promise<Result>): Promise<Result> {
	for (let tries = 1; ; tries += 1)
		try {
			return await run()
		} catch (error) {
			if (isSiteFault(error) || !repeatable.test(codeOf(error)) || tries === MAX_TRIES) throw error
			log.warn({ err: error }, 'a transaction conflicted with another one and is retried')
		}
}

/** Its transactions are retried by {@link withTransactionRetries}: effects outside the database must be safe to repeat. */
class SiteKysely extends Kysely<Database> {
	override transaction(): TransactionBuilder<Database> {
		const builder = super.transaction()
		const execute = builder.execute.bind(builder)
		builder.execute = (work) => withTransactionRetries(() => execute(work))
		return builder
	}
}

interface Connection {
	outage: Outage
	pool: pg.Pool
	kysely: Kysely<Database>
	/** A few separate connections for long work, so that it never takes those of requests. */
	longPool: pg.Pool
	longKysely: Kysely<Database>
}

const held = remember<{ connection?: Connection; isClosed?: boolean }>('database', () => ({}))

/** An answer may be on its way for some seconds. Where a pooler shows another name, it is unknown: null. */
const idleThere = `
	select bool_and(state like 'idle%' and state_change < now() - interval '5 seconds') as is_idle
	from pg_stat_activity where application_name = $1`

/**
 * Connections for long work: two jobs at a time, mails and other remote jobs beside them, which use none while they wait for a server, and
 * the two that graphile-worker listens on.
 */
const MAX_LONG_CONNECTIONS = 5

/** Connections of one process at most: 10 for requests, the default of `pg`; those for long work; two listeners beside the pools. */
export const MAX_CONNECTIONS = 12 + MAX_LONG_CONNECTIONS

/**
 * Opens the pools of this process: at most 10 connections for requests by default, and {@link MAX_LONG_CONNECTIONS} for long work.
 * @param options where the database is, as `pg` takes it
 */
export function openDatabase(options: pg.PoolConfig): Kysely<Database> {
	const outage = new Outage(options)
	const pool = new SitePool({
		// Starting two processes takes more time than all of a request's statements, and other requests need the processors.
		options: `-c max_parallel_workers_per_gather=0 ${SERVER_KEEP_ALIVE}`,
		statement_timeout: STATEMENT_TIMEOUT_MS,
		lock_timeout: LOCK_TIMEOUT_MS,
		idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
		...options,
		outage,
		clientTimeout: options.statement_timeout === 0 ? 0 : CLIENT_TIMEOUT_MS,
	})
	const longPool = new SitePool({
		statement_timeout: LONG_STATEMENT_TIMEOUT_MS,
		lock_timeout: LONG_LOCK_TIMEOUT_MS,
		...options,
		max: MAX_LONG_CONNECTIONS,
		idleTimeoutMillis: LONG_IDLE_TIMEOUT_MS,
		outage,
		clientTimeout: 0,
		isIdleThere: async (name) => {
			const { rows } = await pool.query(idleThere, [name])
			return rows[0]?.is_idle ?? false
		},
	})
	outage.onAway((refusal) => closeWaitingConnections(outage, refusal))
	const kysely = new SiteKysely({ dialect: new PostgresDialect({ pool }) })
	const longKysely = new SiteKysely({ dialect: new PostgresDialect({ pool: longPool }) })
	held.connection = { outage, pool, kysely, longPool, longKysely }
	held.isClosed = false
	return kysely
}

/** The open database; within `longWork` on its own connections. @throws Error before {@link openDatabase} */
export function db(): Kysely<Database> {
	const { kysely, longKysely } = opened()
	return databaseScope()?.isLong ? longKysely : kysely
}

/**
 * Values as an array in a subselect, so that PostgreSQL keeps its plan: for an array of another length it would plan the statement
 * again each time, which takes longer than reading some rows by their keys.
 */
export function arrayOf<Value extends number | string | boolean>(
	values: readonly Value[],
	type: 'int' | 'text' | 'bool',
): RawBuilder<Value[]> {
	const array = sql.raw(`${type}[]`)
	return sql<Value[]>`(select ${[...values]}::${array})::${array}`
}

/** {@link arrayOf} ids. */
export function idArray(ids: readonly number[]): RawBuilder<number[]> {
	return arrayOf(ids, 'int')
}

/** The pool under {@link db}, for the libraries that speak `pg` themselves. */
export function pool(): pg.Pool {
	const { pool, longPool } = opened()
	return databaseScope()?.isLong ? longPool : pool
}

/** Whether the database is unavailable, as far as this process knows; also once it is closed, while jobs that took too long still run. */
export function isDatabaseUnavailable(): boolean {
	return held.connection?.outage.isAway ?? held.isClosed === true
}

/** Milliseconds since the database became unavailable; null while it is available. */
export function outageDurationMs(): number | null {
	const outage = held.connection?.outage
	return outage?.isAway ? outage.lasting : null
}

/** Connections of this process by pool and state (in use, idle, waited for), as labels with counts. */
export function connectionsOfPools(): [{ pool: string; state: string }, number][] {
	if (!held.connection) return []
	const { pool: requests, longPool: jobs } = held.connection
	return Object.entries({ requests, jobs }).flatMap(([name, { totalCount, idleCount, waitingCount }]) => [
		[{ pool: name, state: 'used' }, totalCount - idleCount] as [{ pool: string; state: string }, number],
		[{ pool: name, state: 'idle' }, idleCount],
		[{ pool: name, state: 'waiting' }, waitingCount],
	])
}

/** Ends all connections; the next {@link openDatabase} opens new ones. */
export async function closeDatabase(): Promise<void> {
	const connection = held.connection
	held.connection = undefined
	held.isClosed = true
	connection?.outage.stop()
	await Promise.all([connection?.kysely.destroy(), connection?.longKysely.destroy()])
	// Kysely leaves a pool open that it has not used itself, and its connections keep the process alive.
	for (const unused of [connection?.pool, connection?.longPool]) if (unused && !unused.ended) await unused.end()
}

function opened(): Connection {
	if (!held.connection) throw new Error(`The database is ${held.isClosed ? 'closed' : 'not open yet'}.`)
	return held.connection
}
