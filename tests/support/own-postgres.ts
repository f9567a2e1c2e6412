import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { descendants, signalAll, stillRunning } from './cluster.ts'
import { fillFromTemplate } from './site-template.ts'

export interface OwnPostgres {
	/** The connection string. */
	url: string
	/** Kills the server and all its processes at once with SIGKILL, as a power failure would. */
	kill: () => Promise<void>
	/** Stops it with SIGSTOP, like a hanging machine. @returns a function that resumes it */
	freeze: () => () => void
	/** Restarts it at the same address. */
	start: () => Promise<void>
	stop: () => Promise<void>
}

/** Copies a cluster that was initialized before into an empty data directory, for tests that are not about the first start. */
export function makeCluster(dataDir: string): Promise<void> {
	return fillFromTemplate(dataDir, 'cluster', async (folder) => {
		const postgres = await startEmbeddedPostgres(folder, ['fsync=off'])
		await postgres.stop()
	})
}

/** A PostgreSQL for one test, with durability as in the product, so that it may be killed. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-postgres-'))
	let postgres: EmbeddedPostgres = await startEmbeddedPostgres(dataDir)
	const { user, password, database, host } = postgres.connection
	return {
		url: `postgresql://${user}:${password}@localhost/${database}?host=${encodeURIComponent(String(host))}`,
		kill: async () => {
			const leader = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
			const all = descendants(leader).map(({ pid }) => pid)
			signalAll(all, 'SIGKILL')
			while (stillRunning(all).length > 0) await sleep(10)
		},
		freeze: () => {
			const leader = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
			const all = descendants(leader).map(({ pid }) => pid)
			signalAll(all, 'SIGSTOP')
			return () => signalAll(all, 'SIGCONT')
		},
		start: async () => {
			postgres = await startEmbeddedPostgres(dataDir)
		},
		stop: async () => {
			await postgres.stop()
			rmSync(dataDir, { recursive: true, force: true })
		},
	}
}
