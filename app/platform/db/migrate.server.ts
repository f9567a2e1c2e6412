import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { codeOf } from '~/lib/system-errors.ts'

/** An arbitrary key of our own for the advisory lock that serializes migrations of several processes. */
const lockKey = 5_271_009

/**
 * While a migration waits for a table lock, all later statements on that table queue behind it. So it times out after this many
 * milliseconds, and is retried a little later, this many times.
 */
const LOCK_WAIT_MS = 1_500
const LOCK_RETRY_MS = 500
const MAX_LOCK_TRIES = 150
/** SQLSTATEs of a lock timeout and a deadlock. */
const LOCK_CODES = ['55P03', '40P01']

/** A table that is there while a backup is restored: what a killed restore left is an empty site, on which nobody may register. */
const RESTORE_MARK = 'public.unfinished_restore'

/** Marks the database as being restored, until {@link unmarkRestore}. */
export async function markRestore(client: pg.ClientBase): Promise<void> {
	await client.query(`create table if not exists ${RESTORE_MARK} ()`)
}

/** Removes the mark of {@link markRestore}: with the commit of the restore, or once it has failed. */
export async function unmarkRestore(client: Pick<pg.Pool, 'query'>): Promise<void> {
	await client.query(`drop table if exists ${RESTORE_MARK}`)
}

/**
 * Migrates the database: applies each file of `directory` once, in the order of names, each in its own transaction.
 * @param only the names to apply, for the schema of an earlier version; all by default, which is
 * refused while a restore is unfinished
 * @returns the names that were applied now
 * @throws Error when the database has a migration that this version does not know, or a restore into it was broken off
 */
export async function migrate(pool: pg.Pool, directory: string, only?: readonly string[]): Promise<string[]> {
	const client = await pool.connect()
	try {
		// A migration of a large site may take hours, and so may waiting for another process that migrates.
		await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
		await client.query('select pg_advisory_lock($1)', [lockKey])
		await client.query(
			'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
		)
		if (!only) await requireNoRestore(client)
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
		// Its time limits were changed, so the pool must not reuse it.
		client.release(true)
	}
}

async function requireNoRestore(client: pg.ClientBase): Promise<void> {
	const { rows } = await client.query('select to_regclass($1) as mark', [RESTORE_MARK])
	if (rows[0].mark)
		throw new Error(
			'A restore into this database was broken off. Run it again, or begin with an empty DATA_DIR or database.',
		)
}

/** Applies one file, also while nodes of the previous version serve (docs/decisions/0085-updates-beside-what-runs.md). */
async function apply(client: pg.PoolClient, name: string, statements: string, tries = MAX_LOCK_TRIES): Promise<void> {
	await client.query('begin')
	try {
		await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`)
		await client.query(statements)
		await client.query('insert into migrations (name) values ($1)', [name])
		await client.query('commit')
	} catch (error) {
		await client.query('rollback')
		if (isOfLocks(error) && tries > 1) {
			await sleep(LOCK_RETRY_MS)
			return apply(client, name, statements, tries - 1)
		}
		throw new Error(`The migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
			cause: error,
		})
	}
}

/** The site's own pool wraps PostgreSQL's error as the cause of its own. */
function isOfLocks(error: unknown): boolean {
	return LOCK_CODES.includes(codeOf(error)) || (error instanceof Error && LOCK_CODES.includes(codeOf(error.cause)))
}
