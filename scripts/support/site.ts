import { mkdirSync } from 'node:fs'
import { closeBus } from '~/bus/bus.server.ts'
import { config } from '~/config.server.ts'
import { closeDatabase, openDatabase, pool } from '~/db/db.server.ts'
import { startEmbeddedPostgres } from '~/db/embedded-postgres.server.ts'
import { migrate } from '~/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/db/time-limits.server.ts'
import { lockDataDir } from '../../server/lock.ts'

const migrations = new URL('../../migrations', import.meta.url).pathname

/**
 * Runs a script's work on the site's database: the running site's when there is one, else one that is started for it
 * and stopped after it.
 */
export async function withSite<Result>(work: () => Promise<Result>): Promise<Result> {
	const { DATABASE_URL, dataDir } = config()
	mkdirSync(dataDir, { recursive: true, mode: 0o711 })
	// Whoever holds the directory stops its PostgreSQL; while a site runs, that is the site.
	const release = DATABASE_URL ? () => {} : await lockDataDir(dataDir).catch(() => null)
	const postgres = DATABASE_URL ? null : await startEmbeddedPostgres(dataDir)
	openDatabase({ ...(postgres?.connection ?? { connectionString: DATABASE_URL }), ...NO_TIME_LIMITS })
	try {
		await migrate(pool(), migrations)
		return await work()
	} finally {
		closeBus()
		await closeDatabase()
		if (release && postgres) await postgres.stop()
		release?.()
	}
}
