import { join } from 'node:path'
import type { PoolConfig } from 'pg'
import { log } from '~/lib/log.server.ts'
import { abortPostgres, askPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.server.ts'
import { rotatePostgresLog } from './postgres-log.server.ts'
import { findServer, type Server } from './postgres-process.server.ts'

/** Milliseconds between two looks at whether its process lives. */
const LOOK_EVERY_MS = 1_000
/** Milliseconds between two questions to PostgreSQL itself; each is a connection of its own. */
const ASK_EVERY_MS = 5_000
/** Milliseconds that a server may refuse everybody, without recovering from anything, until it is started anew. */
const REFUSING_TIMEOUT_MS = 30_000
/** Milliseconds from a start that failed, as on a full disk, to the next. */
const START_AGAIN_AFTER_MS = 5_000
/** Milliseconds between two lines about a server that is waited for. */
const REPORT_EVERY_MS = 30_000

/**
 * As {@link startEmbeddedPostgres}, and starts it again when it ends without our doing, as by a machine that is short of memory,
 * or lives and refuses everybody for half a minute. One that recovers, is overloaded or was stopped by a signal is waited for,
 * and the log says so. What was committed is there then; connections come back by themselves.
 * @param refusingTimeoutMs milliseconds that a living server may refuse everybody, for tests
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
	}, LOOK_EVERY_MS).unref()
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
	#refusingSince: number | null = null
	#nextAsk = Date.now() + ASK_EVERY_MS
	#nextStart = 0

	constructor(dataDir: string, admin: PoolConfig, start: () => Promise<unknown>, refusingTimeoutMs: number) {
		this.#dataDir = dataDir
		this.#admin = admin
		this.#start = start
		this.#refusingTimeoutMs = refusingTimeoutMs
	}

	/** Looks at the process, asks the server now and then, and does what has to be done. It never throws. */
	async look(): Promise<void> {
		try {
			// Without its leader a server serves nobody; the start waits for what is left of it, or ends that.
			if (['absent', 'unseen'].includes(this.#state())) await this.#startAgain()
			else if (Date.now() >= this.#nextAsk) await this.#ask()
		} catch (error) {
			if (this.#reports.isDue('failed')) log.error({ err: error }, 'PostgreSQL could not be started again')
		}
	}

	async #startAgain(): Promise<void> {
		if (Date.now() < this.#nextStart) return
		if (this.#reports.isDue('ended')) log.error('PostgreSQL has ended and is started again')
		this.#nextStart = Date.now() + START_AGAIN_AFTER_MS
		await this.#start()
		this.#nextStart = 0
		this.#reports.clear()
	}

	async #ask(): Promise<void> {
		this.#nextAsk = Date.now() + ASK_EVERY_MS
		rotatePostgresLog(this.#dataDir)
		const error = await askPostgres(this.#admin)
		if (!error) {
			this.#refusingSince = null
			return this.#reports.clear()
		}
		const { refuses, what } = classifyError(error, this.#state())
		if (this.#reports.isDue(what)) log.warn({ reason: error.message }, what)
		this.#refusingSince = refuses ? (this.#refusingSince ?? Date.now()) : null
		if (this.#refusingSince === null || Date.now() - this.#refusingSince < this.#refusingTimeoutMs) return
		log.error('PostgreSQL lives and serves nobody, so it is ended and started anew')
		await abortPostgres(this.#dataDir)
		this.#refusingSince = null
	}

	#state(): Server['state'] {
		return findServer(join(this.#dataDir, 'postgres')).state
	}
}

/**
 * What is to be said of a server that lives and did not answer.
 * @param error what the question ended with
 * @returns `refuses`: nothing is to be waited for, if it goes on like that
 */
export function classifyError(error: Error & { code?: string }, state: Server['state']): { refuses: boolean; what: string } {
	if (state === 'stopped')
		return { refuses: false, what: 'PostgreSQL was stopped by a signal (SIGSTOP); waiting for it' }
	// cannot_connect_now: it says in words whether it comes or goes.
	if (error.code === '57P03' && /shutting down/.test(error.message))
		return { refuses: true, what: 'PostgreSQL is shutting down, and nobody here has told it to' }
	if (error.code === '57P03') return { refuses: false, what: 'PostgreSQL is recovering; waiting for it' }
	if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
		return { refuses: true, what: 'PostgreSQL lives, and its socket is gone' }
	return { refuses: false, what: 'PostgreSQL does not answer; waiting for it' }
}

/** What the log has been told of, so that it is told of the same again only after half a minute. */
class Reports {
	readonly #told = new Map<string, number>()

	isDue(what: string): boolean {
		const now = Date.now()
		if (now - (this.#told.get(what) ?? 0) < REPORT_EVERY_MS) return false
		this.#told.set(what, now)
		return true
	}

	clear(): void {
		this.#told.clear()
	}
}
