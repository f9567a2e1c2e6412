import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import { type Config, originOf } from '../app/config.server.ts'
import { closeDemoAccounts, makeAdminClaim } from '../app/features/accounts/registration/admin.server.ts'
import { areDemoAccountsOpen } from '../app/features/accounts/registration/demo-accounts.server.ts'
import { demoAccounts } from '../app/features/demo/demo-account.server.ts'
import { Unavailable } from '../app/lib/errors.ts'
import { codeOf } from '../app/lib/system-errors.ts'
import { closeDatabase, MAX_CONNECTIONS, openDatabase, pool } from '../app/platform/db/db.server.ts'
import { migrate } from '../app/platform/db/migrate.server.ts'
import { longWork } from '../app/platform/db/scope.server.ts'
import { progressLine } from '../scripts/support/progress.ts'
import { prepareDataDir } from './data-dir.ts'
import { shutdownLimits } from './limits.ts'
import { lockDataDir } from './lock.ts'

/** The working directory is the project's folder. */
const migrations = resolve('migrations')
/** Connections of the embedded PostgreSQL beyond what its processes need: for backups and `psql`, and two for each process. */
const spare = { site: 20, process: 2 }

/**
 * Connections of one process for requests to a PostgreSQL on the same machine: two for each processor, at least four and at most ten
 * (https://wiki.postgresql.org/wiki/Number_Of_Database_Connections). More would finish nothing sooner, and each has some 20 MB of its own,
 * most of them plans, which are slow until they are made.
 */
const requestConnections = () => Math.min(10, Math.max(4, 2 * availableParallelism()))

/** Milliseconds to wait at the start for a PostgreSQL that does not serve yet, and between two tries. */
const DATABASE_WAIT_MS = 60_000
const DATABASE_RETRY_MS = 500

/** The started parts, and how to stop them: last started, first stopped. */
export class Startup {
	private readonly ends: { end: () => unknown; limitMs: number }[] = []
	private ending: Promise<never> | undefined
	/** Milliseconds for running requests when the process stops. */
	drainMs = shutdownLimits.drainMs
	private adminClaim: string | null = null

	/**
	 * Registers a function that is called when the process stops, before those registered earlier.
	 * @param limitMs milliseconds after which the part is skipped, so that the others are still stopped
	 */
	onEnd(end: () => unknown, limitMs = shutdownLimits.partMs): void {
		this.ends.push({ end, limitMs })
	}

	/** Stops everything in order and exits the process. A second call has no effect. */
	end(code: number): Promise<never> {
		this.ending ??= this.finish(code)
		return this.ending
	}

	/**
	 * Creates and locks the data directory, as the database is in it. Nodes that share a database and a Redis may share the directory
	 * too: its other files allow that.
	 * @throws Error with one sentence
	 */
	async takeDataDir({ dataDir, DATABASE_URL, REDIS_URL }: Config): Promise<void> {
		prepareDataDir(dataDir)
		if (!(DATABASE_URL && REDIS_URL)) this.onEnd(await lockDataDir(dataDir))
	}

	/** Makes SIGINT, SIGTERM, and SIGHUP of a closed terminal stop the site in order, and removes other listeners. */
	obeySignals(): void {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
			process.removeAllListeners(signal)
			process.on(signal, () => this.end(0))
		}
	}

	/** Opens the pool on a database that another process has prepared. */
	reachDatabase(connection: PoolConfig): void {
		openDatabase(connection)
		this.onEnd(closeDatabase)
	}

	/**
	 * Starts PostgreSQL unless DATABASE_URL is set, opens the pool and migrates.
	 * @returns how other processes of the site connect
	 */
	async openDatabase(settings: Config): Promise<PoolConfig> {
		const { DATABASE_URL } = settings
		const connection = DATABASE_URL ? { connectionString: DATABASE_URL } : await this.startPostgres(settings)
		this.reachDatabase(connection)
		try {
			await whileItComes(() => longWork(() => migrate(pool(), migrations)))
			await whileItComes(() => closeDemoAccounts(settings))
			this.adminClaim = await whileItComes(() => makeAdminClaim(settings))
		} catch (error) {
			// Otherwise it would keep probing, and log the same error.
			void closeDatabase()
			throw new Error(DATABASE_URL ? `The database of DATABASE_URL cannot be used: ${reason(error)}` : reason(error), {
				cause: error,
			})
		}
		return connection
	}

	/** A progress bar on standard output with this heading. */
	progress(heading: string): (done: number, total: number) => void {
		return progressLine(heading)
	}

	/** Prints the address of the site, and how to log in. @param more lines about what runs */
	async greet(settings: Config, more: string[] = []): Promise<void> {
		const { SITE_NAME, PUBLIC_URL, HOST, PORT, dataDir, DATABASE_URL, SEED, SMTP_URL, WEB_CONCURRENCY } = settings
		const address = PUBLIC_URL ?? originOf(HOST, PORT)
		const lines = [
			`${SITE_NAME} is ready:  ${address}`,
			`Data directory:    ${DATABASE_URL ? 'the database of DATABASE_URL, files in ' : ''}${dataDir}`,
		]
		const demo = SEED === 'demo' && areDemoAccountsOpen(settings) ? await demoAccounts(dataDir) : null
		if (demo) lines.push(`Demo account:      ${demo.member.email}  password ${demo.member.password}`)
		if (demo?.moderator) lines.push(`Demo moderator:    ${demo.moderator.email}  password ${demo.moderator.password}`)
		if (this.adminClaim) lines.push(`Become admin once: ${address.replace(/\/+$/, '')}${this.adminClaim}`)
		if (WEB_CONCURRENCY > 1) lines.push(`Processes:         ${WEB_CONCURRENCY}`)
		if (!SMTP_URL) lines.push(`Emails are in:     ${join(dataDir, 'mail')}`)
		lines.push(...more, 'Press Ctrl-C to stop.')
		process.stdout.write(`\n${lines.join('\n')}\n`)
	}

	private async startPostgres({ dataDir, WEB_CONCURRENCY }: Config): Promise<PoolConfig> {
		const connections = Math.max(100, spare.site + WEB_CONCURRENCY * (MAX_CONNECTIONS + spare.process))
		// Imported late: it logs, and the log needs valid settings.
		const { superviseEmbeddedPostgres } = await import('../app/platform/db/supervised-postgres.server.ts')
		const postgres = await superviseEmbeddedPostgres(dataDir, [`max_connections=${connections}`])
		this.onEnd(postgres.stop, shutdownLimits.postgresMs)
		return { ...postgres.connection, max: requestConnections() }
	}

	private async finish(code: number): Promise<never> {
		setTimeout(() => process.exit(code || 1), shutdownLimits.totalMs).unref()
		for (const { end, limitMs } of this.ends.reverse()) {
			try {
				await Promise.race([end(), sleep(limitMs, undefined, { ref: false })])
			} catch (error) {
				process.stderr.write(`While stopping: ${reason(error)}\n`)
			}
		}
		process.exit(code)
	}
}

/**
 * Retries a step of the start while PostgreSQL does not serve yet: it starts, recovers, or still has the connections of a killed
 * process. Fails at once where no server listens.
 */
async function whileItComes<Result>(step: () => Promise<Result>): Promise<Result> {
	for (const end = performance.now() + DATABASE_WAIT_MS; ; await sleep(DATABASE_RETRY_MS)) {
		try {
			return await step()
		} catch (error) {
			if (!isOutage(error) || isNobodyThere(error.cause) || performance.now() > end) throw error
		}
	}
}

function isOutage(error: unknown): error is Unavailable {
	return error instanceof Unavailable && error.isOutage
}

/** Whether no server listens at an address, or there is no such address. */
function isNobodyThere(cause: unknown): boolean {
	return /^(ECONNREFUSED|ENOTFOUND|ENOENT|EACCES|EHOSTUNREACH|ENETUNREACH)$/.test(codeOf(cause))
}

function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error)
}
