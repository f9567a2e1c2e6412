import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { remember } from '~/lib/remember.ts'
import { NamedStatements } from './named-statements.server.ts'
import type { Database } from './schema.ts'

/** Where a statement may run: the pool, or the transaction of a use case. */
export type Executor = Kysely<Database> | Transaction<Database>

interface Connection {
	pool: pg.Pool
	kysely: Kysely<Database>
}

const held = remember<{ connection?: Connection }>('database', () => ({}))

/**
 * Opens the pool of this process: at most 10 connections unless the options say otherwise.
 * @param options where the database is, as `pg` takes it
 */
export function openDatabase(options: pg.PoolConfig): Kysely<Database> {
	const pool = new pg.Pool({ max: 10, idleTimeoutMillis: 0, Client: NamedStatements, pipeline: true, ...options })
	// An idle connection that PostgreSQL ends is replaced by the pool; without a listener it would end the process.
	pool.on('error', () => {})
	pool.on('connect', (client) => client.on('error', () => {}))
	held.connection = { pool, kysely: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) }
	return held.connection.kysely
}

/** The open database. @throws Error before {@link openDatabase}. */
export function db(): Kysely<Database> {
	return opened().kysely
}

/** The pool under {@link db}, for the libraries that speak `pg` themselves. */
export function pool(): pg.Pool {
	return opened().pool
}

/** Ends every connection; the next {@link openDatabase} makes new ones. */
export async function closeDatabase(): Promise<void> {
	const connection = held.connection
	held.connection = undefined
	await connection?.kysely.destroy()
}

function opened(): Connection {
	if (!held.connection) throw new Error('The database is not open yet.')
	return held.connection
}
