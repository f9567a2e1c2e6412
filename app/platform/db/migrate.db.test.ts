import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useDatabase } from '../../../tests/support/database.ts'
import { db, pool } from './db.server.ts'
import { migrate } from './migrate.server.ts'

useDatabase()

const standing = fileURLToPath(new URL('../../../migrations', import.meta.url))

test('a migrated database has nothing left to apply, even when two processes check at once', async () => {
	const [first, second] = await Promise.all([migrate(pool(), standing), migrate(pool(), standing)])
	expect([first, second]).toEqual([[], []])
})

test('a database of a newer version is refused', async () => {
	const older = mkdtempSync(join(tmpdir(), 'migrations-'))
	await expect(migrate(pool(), older)).rejects.toThrow(/belongs to a newer version .* 0001_accounts\.sql/)
})

test('a migration that fails halfway is rolled back', async () => {
	const broken = await folderOfApplied()
	writeFileSync(join(broken, '9999_broken.sql'), 'create table half_made (id int); select 1/0;')
	await expect(migrate(pool(), broken)).rejects.toThrow('The migration 9999_broken.sql failed: division by zero')
	const { rows: tables } = await sql`select 1 from pg_tables where tablename = 'half_made'`.execute(db())
	expect(tables).toEqual([])
})

test('a migration that waits for a table lock leaves the queue, so that statements behind it proceed, and is retried', async () => {
	const folder = await folderOfApplied()
	writeFileSync(join(folder, '9998_next.sql'), 'alter table users add column of_the_next_version text')
	const reader = await pool().connect()
	await reader.query('begin; select 1 from users')
	const migrated = migrate(pool(), folder)
	// Readers queue behind the migration, and are not blocked for longer than it waits.
	await expect.poll(() => waitForUsers()).toBe(true)
	const began = performance.now()
	await pool().query('select 1 from users')
	expect(performance.now() - began).toBeLessThan(2_500)
	await reader.query('commit')
	reader.release()
	expect(await migrated).toEqual(['9998_next.sql'])
})

test('a migration that loses a deadlock is retried', async () => {
	const folder = await folderOfApplied()
	writeFileSync(
		join(folder, '9999_deadlock.sql'),
		`do $$ begin if nextval('tries') = 1 then raise sqlstate '40P01'; end if; end $$`,
	)
	await pool().query('create sequence tries')
	await migrate(pool(), folder)
	const { rows } = await pool().query('select last_value::int as tries from tries')
	expect(rows).toEqual([{ tries: 2 }])
})

/** A folder that has the names of the applied migrations. */
async function folderOfApplied(): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
	const { rows } = await pool().query<{ name: string }>('select name from migrations')
	for (const { name } of rows) writeFileSync(join(folder, name), '')
	return folder
}

/** Whether a statement waits for a lock on the table of members. */
async function waitForUsers(): Promise<boolean> {
	const { rows } = await pool().query("select 1 from pg_locks where relation = 'users'::regclass and not granted")
	return rows.length > 0
}
