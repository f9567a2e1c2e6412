import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import '~/features/index.server.ts'
import { installStartSet } from '~/features/terms/terms.server.ts'
import { closeDatabase, openDatabase } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import type { Login } from './database.ts'
import { makeCluster } from './own-postgres.ts'
import { makeRunFolder } from './run-folder.ts'
import { keepTemplates } from './site-template.ts'

/** No data outlives a run. */
const fast = [
	// Six test files run concurrently, each with several sites of several processes.
	'max_connections=200',
	'fsync=off',
	'synchronous_commit=off',
	'full_page_writes=off',
	'wal_level=minimal',
	'archive_mode=off',
	'max_wal_senders=0',
	'autovacuum=off',
	// Each file has a database and connections of its own. They would plan each statement anew the first five times, which takes as long as
	// executing it.
	'plan_cache_mode=force_generic_plan',
]

/** One PostgreSQL for the whole run, with a migrated database to clone; durability is off, as no data must survive a crash. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const removeRunFolder = makeRunFolder()
	const removeTemplates = keepTemplates()
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-test-'))
	await makeCluster(dataDir)
	const postgres = await startEmbeddedPostgres(dataDir, fast)
	const pool = new pg.Pool({ ...postgres.connection, max: 1 })
	pool.on('error', () => {})
	await migrate(pool, fileURLToPath(new URL('../../migrations', import.meta.url)))
	openDatabase(postgres.connection)
	await installStartSet()
	await closeDatabase()
	// The tables of the job queue, as a login from a new device queues a mail.
	await runMigrations({ pgPool: pool, noPreparedStatements: true })
	await pool.end()
	project.provide('postgres', { site: loginOf(postgres.connection), admin: loginOf(postgres.admin) })
	return async () => {
		await postgres.stop()
		removeTemplates()
		rmSync(dataDir, { recursive: true, force: true })
		removeRunFolder()
	}
}

function loginOf({ host, user, password }: pg.PoolConfig): Login {
	return { host: String(host), user: String(user), password: String(password) }
}
