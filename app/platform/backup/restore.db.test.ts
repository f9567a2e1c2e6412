import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { Unavailable } from '~/lib/errors.ts'
import { closeDatabase, db, openDatabase, pool } from '~/platform/db/db.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { nameArchive } from './archive.server.ts'
import { makeBackup } from './backup.server.ts'
import { restoreBackup } from './restore.server.ts'
import { restoredAt } from './restore-mark.queries.server.ts'
import { connectOutsidePool, countOtherConnections } from './tables.queries.server.ts'

/** What happens once a restore has made its tables. */
const meanwhile = vi.hoisted(() => ({ act: async () => {} }))

vi.mock('~/platform/db/migrate.server.ts', async (load) => {
	const real = await load<typeof import('~/platform/db/migrate.server.ts')>()
	const migrate: typeof real.migrate = async (...args) => {
		const applied = await real.migrate(...args)
		if (args[2]) await meanwhile.act()
		return applied
	}
	return { ...real, migrate }
})

useDatabase()

const folder = mkdtempSync(join(tmpdir(), 'devquad-restore-'))
const file = join(folder, 'site.tar.zst')
const migrations = {
	folder: 'migrations',
	names: readdirSync('migrations').filter((name) => name.endsWith('.sql')),
}

afterAll(() => rmSync(folder, { recursive: true }))

/** Restores a backup of the empty site into it, while something else happens. */
async function restore(act: () => Promise<void>): Promise<unknown> {
	meanwhile.act = act
	await makeBackup({ to: file, passphrase: null, dataDir: folder, version: '0' })
	await nameArchive(file)
	const { options } = pool() as unknown as { options: pg.PoolConfig }
	const { host, user, password, database } = options
	// Idle connections count as those of another program.
	await closeDatabase()
	openDatabase({ host, user, password, database })
	// A pool has ended before PostgreSQL has ended its connections.
	const outside = await connectOutsidePool()
	await vi.waitFor(async () => expect(await countOtherConnections(outside)).toBe(0))
	await outside.end()
	return restoreBackup({ file, passphrase: null, dataDir: folder, migrations })
}

/** Migrates as the start of a site does. */
const start = () => migrate(pool(), migrations.folder)

test('no site starts on a restore that was broken off, until it is run again or has failed in order', async () => {
	const starts: PromiseSettledResult<unknown>[] = []
	const startMeanwhile = async () => {
		starts.push(...(await Promise.allSettled([start()])))
	}
	await restore(startMeanwhile)
	expect(starts).toEqual([
		{
			status: 'rejected',
			reason: expect.objectContaining({ message: expect.stringMatching(/broken off. Run it again/) }),
		},
	])
	await start()
	expect(await restoredAt()).toEqual(expect.any(Date))
	// What was given after the backup must not be given again.
	const { rows } = await sql<{
		id: number
	}>`select nextval(pg_get_serial_sequence('questions', 'id'))::int as id`.execute(db())
	expect(rows[0]?.id).toBeGreaterThan(10_000)
	await expect(restore(() => Promise.reject(new Error('No space left.')))).rejects.toThrow('No space left.')
	await start()
})

test('a backup keeps tables from being rebuilt until they are copied, but not while pictures are read, which is tried again', async () => {
	const other = await connectOutsidePool()
	onTestFinished(() => other.end())
	await other.query(`set lock_timeout = '1ms'`)
	// The last table, so that it is not copied yet: it would be empty in the backup.
	const rebuild = () =>
		other.query('vacuum full word_spellings').then(
			() => 'rebuilt',
			(error: Error) => error.message,
		)
	const rebuilt: Promise<string>[] = []
	const pictures = await storage()
	vi.spyOn(pictures, 'list').mockImplementation(async function* () {
		yield 'ab/one.webp'
	})
	const read = vi.spyOn(pictures, 'read').mockImplementation(async () => {
		rebuilt.push(rebuild())
		if (read.mock.calls.length === 1) throw new Unavailable('The pictures of this site cannot be reached right now.')
		return Buffer.from('a picture')
	})
	const onProgress = (what: string, _: number, all: number) => {
		if (what === 'database' && all > 0 && rebuilt.length === 0) rebuilt.push(rebuild())
	}
	const { files } = await makeBackup({ to: file, passphrase: null, dataDir: folder, version: '0', onProgress })
	expect(files).toBe(1)
	expect(await Promise.all(rebuilt)).toEqual([expect.stringContaining('lock timeout'), 'rebuilt', 'rebuilt'])
})

test('a restore refuses a site that got its first member after the restore began', async () => {
	const register = async () => {
		await db()
			.insertInto('users')
			.values({ username: 'early.bird', name: 'X', email: 'early.bird@eastmere.example', image: null })
			.execute()
	}
	await expect(restore(register)).rejects.toThrow('this site has members already')
	const members = db().selectFrom('users').select('username').where('id', '<>', 0).execute()
	expect(await members).toEqual([{ username: 'early.bird' }])
})
