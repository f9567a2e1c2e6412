import { fileURLToPath } from 'node:url'
import { config } from '~/config.server.ts'
import { closeBus } from '~/platform/bus/bus.server.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { reachEmbeddedPostgres, startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { prepareDataDir } from '../../server/data-dir.ts'
import { DataDirLocked, lockDataDir } from '../../server/lock.ts'

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url))

/**
 * Runs work on the site's database: that of the running site, which stays as it is, or one that is started for the work and stopped
 * afterwards.
 * @param options.migrates whether to migrate the database first
 * @param options.alone refuses to work while a site runs on the data directory
 * @throws Error with one sentence when the database of a running site cannot be reached from here
 */
export async function withSite<Result>(
	work: () => Promise<Result>,
	{ migrates = true, alone = false } = {},
): Promise<Result> {
	const { DATABASE_URL, dataDir } = config()
	prepareDataDir(dataDir)
	// The process that locks the directory starts and stops its PostgreSQL; while a site runs, that is the site.
	const release = DATABASE_URL ? () => {} : await lockDataDir(dataDir).catch(alone ? passOn : passOnUnlessTaken)
	const postgres = release && !DATABASE_URL ? await startEmbeddedPostgres(dataDir) : null
	try {
		const connection = DATABASE_URL
			? { connectionString: DATABASE_URL }
			: (postgres?.connection ?? (await reachEmbeddedPostgres(dataDir)))
		openDatabase({ ...connection, ...NO_TIME_LIMITS })
		if (migrates) await migrate(pool(), migrations)
		return await work()
	} finally {
		closeBus()
		await closeDatabase()
		await postgres?.stop()
		release?.()
	}
}

/**
 * Runs work on the database of a running site, without locking anything that a site needs to start.
 * @throws Error when no site runs here, or its database does not answer
 */
export async function withRunningSite<Result>(work: () => Promise<Result>): Promise<Result> {
	const { DATABASE_URL, dataDir } = config()
	openDatabase(DATABASE_URL ? { connectionString: DATABASE_URL } : await reachEmbeddedPostgres(dataDir))
	try {
		return await work()
	} finally {
		closeBus()
		await closeDatabase()
	}
}

/**
 * Runs work on a data directory that no site uses; the work starts the database itself.
 * @throws Error with one sentence when a site runs there, or DATABASE_URL is set
 */
export async function withDataDir<Result>(work: () => Promise<Result>): Promise<Result> {
	const { DATABASE_URL, dataDir } = config()
	if (DATABASE_URL)
		throw new Error('Only the built-in database can be restored from a continuous archive. Unset DATABASE_URL first.')
	prepareDataDir(dataDir)
	const release = await lockDataDir(dataDir)
	try {
		return await work()
	} finally {
		release()
	}
}

function passOn(error: unknown): never {
	throw error
}

function passOnUnlessTaken(error: unknown): null {
	if (error instanceof DataDirLocked) return null
	throw error
}
