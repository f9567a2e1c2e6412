import { join } from 'node:path'
import type { PoolConfig } from 'pg'
import { log } from '~/lib/log.server.ts'
import {
	abortPostgres,
	type EmbeddedPostgres,
	probePostgres,
	startEmbeddedPostgres,
} from './embedded-postgres.server.ts'
import { rotatePostgresLog } from './postgres-log.server.ts'
import { findServer, type PostgresServer } from './postgres-process.server.ts'

/** Milliseconds between two checks of the process. */
const CHECK_EVERY_MS = 1_000
/** Milliseconds between two probes of PostgreSQL; each is a new connection. */
const PROBE_EVERY_MS = 5_000
/** Milliseconds for which a server may refuse all connections, without recovering, until it is restarted. */
const REFUSING_TIMEOUT_MS = 30_000
/** Milliseconds from a failed start, as on a full disk, to the next. */
const RESTART_AFTER_MS = 5_000
/** Milliseconds between two log lines about a server that is waited for. */
const REPORT_EVERY_MS = 30_000

/**
 * As {@link startEmbeddedPostgres}, and restarts the server when it dies, as when memory runs out, or refuses all connections for
 * half a minute. One that recovers, is overloaded or suspended is waited for, and the log says so. Committed data survives;
 * connections come back by themselves.
 * @param refusingTimeoutMs milliseconds for which a live server may refuse all connections, for tests
 */
export async function superviseEmbeddedPostgres(
	dataDir: string,
	options: string[] = [],
	refusingTimeoutMs = REFUSING_TIMEOUT_MS,
): Promise<EmbeddedPostgres> {
	const postgres = await startEmbeddedPostgres(dataDir, options)
	const start = () => startEmbeddedPostgres(dataDir, options, (line) => log.warn(line))
	const keeper = new Keeper(dataDir, postgres.admin, start, refusingTimeoutMs)
	let looking: Promise<void> | undefined
	const timer = setInterval(() => {
		looking ??= keeper.look().finally(() => {
			looking = undefined
		})
	}, CHECK_EVERY_MS).unref()
	return {
		...postgres,
		stop: async () => {
			clearInterval(timer)
			await looking
			await postgres.stop()
		},
	}
}

class Keeper {
	readonly #dataDir: string
	readonly #admin: PoolConfig
	readonly #start: () => Promise<unknown>
	readonly #refusingTimeoutMs: number
	readonly #reports = new Reports()
	// By the monotonic clock, as are all times here.
	#refusingSince: number | null = null
	#nextAsk = performance.now() + PROBE_EVERY_MS
	#nextStart = 0

	constructor(dataDir: string, admin: PoolConfig, start: () => Promise<unknown>, refusingTimeoutMs: number) {
		this.#dataDir = dataDir
		this.#admin = admin
		this.#start = start
		this.#refusingTimeoutMs = refusingTimeoutMs
	}

	/** Checks the process, probes the server at intervals, and restarts it where necessary. It never throws. */
	async look(): Promise<void> {
		try {
			// A server without its postmaster serves nobody; the start waits for its remaining processes, or ends them.
			if (['absent', 'unseen'].includes(this.#state())) await this.#restart()
			else if (performance.now() >= this.#nextAsk) await this.#ask()
		} catch (error) {
			if (this.#reports.isDue('failed')) log.error({ err: error }, 'PostgreSQL could not be started again')
		}
	}

	async #restart(): Promise<void> {
		if (performance.now() < this.#nextStart) return
		if (this.#reports.isDue('ended')) log.error('PostgreSQL has ended and is being restarted')
		this.#nextStart = performance.now() + RESTART_AFTER_MS
		await this.#start()
		this.#nextStart = 0
		this.#reports.clear()
	}

	async #ask(): Promise<void> {
		this.#nextAsk = performance.now() + PROBE_EVERY_MS
		rotatePostgresLog(this.#dataDir)
		const error = await probePostgres(this.#admin)
		if (!error) {
			this.#refusingSince = null
			return this.#reports.clear()
		}
		const { refuses, what } = classifyError(error, this.#state())
		if (this.#reports.isDue(what)) log.warn({ reason: error.message }, what)
		this.#refusingSince = refuses ? (this.#refusingSince ?? performance.now()) : null
		if (this.#refusingSince === null || performance.now() - this.#refusingSince < this.#refusingTimeoutMs) return
		log.error('PostgreSQL is running but refuses all connections, so it is killed and restarted')
		await abortPostgres(this.#dataDir)
		this.#refusingSince = null
	}

	#state(): PostgresServer['state'] {
		return findServer(join(this.#dataDir, 'postgres')).state
	}
}

/**
 * Explains why a live server did not answer.
 * @param error of the probe
 * @returns `refuses`: waiting will not help, if it stays like this
 */
export function classifyError(
	error: Error & { code?: string },
	state: PostgresServer['state'],
): { refuses: boolean; what: string } {
	if (state === 'stopped')
		return { refuses: false, what: 'PostgreSQL was stopped by a signal (SIGSTOP); waiting for it' }
	// cannot_connect_now: only the message says whether it is starting or stopping.
	if (error.code === '57P03' && /shutting down/.test(error.message))
		return { refuses: true, what: 'PostgreSQL is shutting down unexpectedly' }
	if (error.code === '57P03') return { refuses: false, what: 'PostgreSQL is recovering; waiting for it' }
	if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
		return { refuses: true, what: 'PostgreSQL is running, but its socket is missing' }
	return { refuses: false, what: 'PostgreSQL does not answer; waiting for it' }
}

/** Suppresses repeated log lines within half a minute. */
class Reports {
	readonly #told = new Map<string, number>()

	isDue(what: string): boolean {
		const now = performance.now()
		if (now - (this.#told.get(what) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return false
		this.#told.set(what, now)
		return true
	}

	clear(): void {
		this.#told.clear()
	}
}
