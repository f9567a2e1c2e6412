import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import { closeDatabase, db, openDatabase, pool } from '~/platform/db/db.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { nameArchive } from './archive.server.ts'
import { makeBackup } from './backup.server.ts'
import { restoreBackup } from './restore.server.ts'

/** Registers a member after the migrations, as a site that is started meanwhile does. */
vi.mock('~/platform/db/migrate.server.ts', async (load) => {
	const real = await load<typeof import('~/platform/db/migrate.server.ts')>()
	const migrate: typeof real.migrate = async (...args) => {
		const applied = await real.migrate(...args)
		await db()
			.insertInto('users')
			.values({ username: 'early.bird', name: 'X', email: 'early.bird@eastmere.example', image: null })
			.execute()
		return applied
	}
	return { ...real, migrate }
})

useDatabase()

test('a restore refuses a site that got its first member after the restore began', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-restore-'))
	const file = join(folder, 'site.tar.zst')
	try {
		await makeBackup({ to: file, passphrase: null, dataDir: folder, version: '0' })
		await nameArchive(file)
		const { options } = pool() as unknown as { options: pg.PoolConfig }
		const { host, user, password, database } = options
		// Idle connections count as those of another program.
		await closeDatabase()
		openDatabase({ host, user, password, database })
		const migrations = {
			folder: 'migrations',
			names: readdirSync('migrations').filter((name) => name.endsWith('.sql')),
		}
		const restored = restoreBackup({ file, passphrase: null, dataDir: folder, migrations })
		await expect(restored).rejects.toThrow('this site has members already')
		const members = db().selectFrom('users').select('username').where('id', '<>', 0).execute()
		expect(await members).toEqual([{ username: 'early.bird' }])
	} finally {
		rmSync(folder, { recursive: true })
	}
})
