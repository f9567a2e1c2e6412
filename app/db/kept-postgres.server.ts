import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { log } from '~/lib/log.server.ts'
import { type EmbeddedPostgres, isZombie, startEmbeddedPostgres } from './embedded-postgres.server.ts'

/** Milliseconds between two looks at whether it still runs. */
const lookEvery = 1_000

/**
 * As {@link startEmbeddedPostgres}, and starts it again when it ends without our doing, as by a machine that is short of memory.
 * What was committed is there then; connections come back by themselves.
 */
export async function keepEmbeddedPostgres(dataDir: string, options: string[] = []): Promise<EmbeddedPostgres> {
	let postgres = await startEmbeddedPostgres(dataDir, options)
	let mending = Promise.resolve()
	const mend = async () => {
		if (await isAlive(join(dataDir, 'postgres', 'postmaster.pid'))) return
		log.error('PostgreSQL has ended and is started again')
		postgres = await startEmbeddedPostgres(dataDir, options)
	}
	let isBusy = false
	const timer = setInterval(() => {
		if (isBusy) return
		isBusy = true
		mending = mend()
			.catch((error) => log.error({ err: error }, 'PostgreSQL could not be started again'))
			.finally(() => {
				isBusy = false
			})
	}, lookEvery).unref()
	return {
		connection: postgres.connection,
		stop: async () => {
			clearInterval(timer)
			await mending
			await postgres.stop()
		},
	}
}

/** Whether the process of a pid file lives; without the file it does not. */
async function isAlive(pidFile: string): Promise<boolean> {
	const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
	if (!pid || (await isZombie(pidFile))) return false
	try {
		return process.kill(pid, 0)
	} catch (error) {
		// It belongs to another account, as it does when we are root's.
		return (error as NodeJS.ErrnoException).code === 'EPERM'
	}
}
