import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../app/config.server.ts'
import { closeDatabase, openDatabase, pool } from '../app/db/db.server.ts'
import { startEmbeddedPostgres } from '../app/db/embedded-postgres.server.ts'
import { migrate } from '../app/db/migrate.server.ts'
import { demoAccounts } from '../app/features/forum/import/demo-account.server.ts'
import { progressLine } from '../scripts/support/progress.ts'
import { lockDataDir } from './lock.ts'

const migrations = new URL('../migrations', import.meta.url).pathname
/** After this many milliseconds an orderly stop has failed, and the process ends anyway. */
const patience = 4_500
/** A part that has not ended after so many milliseconds is passed over, so that the database below it is still stopped. */
const patienceForOne = 800

/** The parts that stand so far, and how they end: last started, first stopped. */
export class Startup {
	private readonly ends: { end: () => unknown; patience: number }[] = []
	private ending: Promise<never> | undefined

	/** Has `end` called when the process stops, before what was registered earlier. @param patience in milliseconds */
	onEnd(end: () => unknown, patience = patienceForOne): void {
		this.ends.push({ end, patience })
	}

	/** Stops everything in order and ends the process. Called twice, it ends once. */
	end(code: number): Promise<never> {
		this.ending ??= this.finish(code)
		return this.ending
	}

	/** Makes the data directory and takes it for this process. @throws Error with one sentence */
	async takeDataDir({ dataDir }: Config): Promise<void> {
		try {
			mkdirSync(dataDir, { recursive: true, mode: 0o711 })
			accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
		} catch (error) {
			throw new Error(`The data directory ${dataDir} cannot be used: ${reason(error)}. Choose another with DATA_DIR.`)
		}
		this.onEnd(await lockDataDir(dataDir))
	}

	/** Starts PostgreSQL unless DATABASE_URL names one, opens the pool and migrates. */
	async openDatabase({ DATABASE_URL, dataDir }: Config): Promise<void> {
		if (DATABASE_URL) openDatabase({ connectionString: DATABASE_URL })
		else {
			const postgres = await startEmbeddedPostgres(dataDir)
			this.onEnd(postgres.stop, patience)
			openDatabase(postgres.connection)
		}
		this.onEnd(closeDatabase)
		try {
			await migrate(pool(), migrations)
		} catch (error) {
			throw new Error(DATABASE_URL ? `The database of DATABASE_URL cannot be used: ${reason(error)}` : reason(error), {
				cause: error,
			})
		}
	}

	/** A progress bar on standard output under this heading. */
	progress(heading: string): (done: number, total: number) => void {
		return progressLine(heading)
	}

	/** Tells whoever started the site where it is. */
	async greet({
		SITE_NAME,
		publicUrl,
		PUBLIC_URL,
		HOST,
		PORT,
		dataDir,
		DATABASE_URL,
		SEED,
		SMTP_URL,
	}: Config): Promise<void> {
		const address = PUBLIC_URL ?? `http://${HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST}:${PORT}`
		const lines = [
			`${SITE_NAME} is ready:  ${address || publicUrl}`,
			`Data lies in:      ${DATABASE_URL ? 'the database of DATABASE_URL, files in ' : ''}${dataDir}`,
		]
		const demo = SEED === 'demo' ? await demoAccounts(dataDir) : null
		if (demo) lines.push(`Demo account:      ${demo.member.email}  password ${demo.member.password}`)
		if (demo?.moderator) lines.push(`Demo moderator:    ${demo.moderator.email}  password ${demo.moderator.password}`)
		if (!SMTP_URL) lines.push(`Mails are kept in: ${join(dataDir, 'mail')}`)
		lines.push('Press Ctrl-C to stop.')
		process.stdout.write(`\n${lines.join('\n')}\n`)
	}

	private async finish(code: number): Promise<never> {
		setTimeout(() => process.exit(code || 1), patience).unref()
		for (const { end, patience } of this.ends.reverse()) {
			try {
				await Promise.race([end(), sleep(patience, undefined, { ref: false })])
			} catch (error) {
				process.stderr.write(`While stopping: ${reason(error)}\n`)
			}
		}
		process.exit(code)
	}
}

function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error)
}
