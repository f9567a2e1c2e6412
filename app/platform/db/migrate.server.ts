import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Any number that no other program takes as its advisory lock: two processes that start at once migrate one after the other. */
const lockKey = 5_271_009

/**
 * A migration that waits for a table holds up whoever asks for that table after it: after so many milliseconds it lets them go, and
 * tries again a little later, so many times.
 */
const LOCK_WAIT_MS = 1_500
const LOCK_RETRY_MS = 500
const MAX_LOCK_TRIES = 150
/** What PostgreSQL says when a lock was waited for too long. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the database to the newest schema: each file of `directory` once, in the order of its name, in a transaction of its own.
 * @param only the names that the schema is to have had in the end, for one of an earlier version; all when it is not given
 * @returns the names that were applied now
 * @throws Error when the database holds a migration that this version does not know
 */
export async function migrate(pool: pg.Pool, directory: string, only?: readonly string[]): Promise<string[]> {
	const client = await pool.connect()
	try {
		// A migration of a large site may take hours, and so may the wait for another process that migrates.
		await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
		await client.query('select pg_advisory_lock($1)', [lockKey])
		await client.query(
			'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
		)
		const { rows } = await client.query<{ name: string }>('select name from migrations')
		const applied = new Set(rows.map((row) => row.name))
		const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()
		const unknown = [...applied].find((name) => !files.includes(name))
		if (unknown)
			throw new Error(
				`The database belongs to a newer version of the site: it has the migration ${unknown}, which this version does not know.`,
			)
		const pending = files.filter((name) => !applied.has(name) && (only?.includes(name) ?? true))
		for (const name of pending) await apply(client, name, await readFile(join(directory, name), 'utf8'))
		return pending
	} finally {
		await client.query('select pg_advisory_unlock($1)', [lockKey]).catch(() => {})
		// Its limits are not those of a request.
		client.release(true)
	}
}

/** Applies one file, also while nodes of the version before serve (docs/decisions/0085-updates-beside-what-runs.md). */
async function apply(client: pg.PoolClient, name: string, statements: string, tries = MAX_LOCK_TRIES): Promise<void> {
	await client.query('begin')
	try {
		await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`)
		await client.query(statements)
		await client.query('insert into migrations (name) values ($1)', [name])
		await client.query('commit')
	} catch (error) {
		await client.query('rollback')
		if (isLockTimeout(error) && tries > 1) {
			await sleep(LOCK_RETRY_MS)
			return apply(client, name, statements, tries - 1)
		}
		throw new Error(`The migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
			cause: error,
		})
	}
}

/** The site's own pool tells it as an error of its own, with that of PostgreSQL as the cause. */
function isLockTimeout(error: unknown): boolean {
	const { code, cause } = error as { code?: string; cause?: { code?: string } }
	return (code ?? cause?.code) === LOCK_NOT_AVAILABLE
}
