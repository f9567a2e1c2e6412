import { join } from 'node:path'
import { log } from '~/lib/log.server.ts'
import { abortPostgres, askPostgres, type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.server.ts'
import { findServer } from './postgres-process.server.ts'

/** Milliseconds between two looks at whether its process lives. */
const LOOK_EVERY_MS = 1_000
/** Milliseconds between two questions to PostgreSQL itself; each is a connection of its own. */
const ASK_EVERY_MS = 5_000
/** Milliseconds that a server may refuse everybody, without recovering from anything, until it is started anew. */
const REFUSING_TIMEOUT_MS = 30_000
/** Milliseconds between two lines about a server that is waited for. */
const REPORT_EVERY_MS = 30_000

/** What is done about a server that did not answer: nothing but wait, or start it anew when it goes on for too long. */
export type Verdict = { wait: string } | { refuses: string }

/**
 * As {@link startEmbeddedPostgres}, and starts it again when it ends without our doing, as by a machine that is short of memory,
 * or lives and refuses everybody for half a minute. One that recovers, is overloaded or was stopped by a signal is waited for,
 * and the log says so. What was committed is there then; connections come back by themselves.
 */
export async function keepEmbeddedPostgres(dataDir: string, options: string[] = []): Promise<EmbeddedPostgres> {
	const cluster = join(dataDir, 'postgres')
	const postgres = await startEmbeddedPostgres(dataDir, options)
	const start = () => startEmbeddedPostgres(dataDir, options, (line) => log.warn(line))
	const failing = new Failing()
	let lastAsked = Date.now()
	const look = async () => {
		if (findServer(cluster).state === 'absent') {
			if (failing.isDue('absent')) log.error('PostgreSQL has ended and is started again')
			await start()
			failing.end()
			return
		}
		if (Date.now() - lastAsked < ASK_EVERY_MS) return
		lastAsked = Date.now()
		const error = await askPostgres(postgres.admin)
		if (!error) return failing.end()
		const verdict = judge(error, findServer(cluster).state)
		const isReportDue = failing.isDue('refuses' in verdict ? 'refuses' : 'wait')
		if ('wait' in verdict) {
			if (isReportDue) log.warn({ reason: error.message }, verdict.wait)
		} else if (failing.milliseconds > REFUSING_TIMEOUT_MS) {
			log.error({ reason: error.message }, `${verdict.refuses} and is started anew`)
			await abortPostgres(dataDir)
		}
	}
	let looking: Promise<unknown> | undefined
	const timer = setInterval(() => {
		looking ??= look()
			.catch((error) => {
				if (failing.isDue('failed')) log.error({ err: error }, 'PostgreSQL could not be started again')
			})
			.finally(() => {
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

/** What is to be done about a server that lives and did not answer. @param error what the question ended with */
export function judge(error: Error & { code?: string }, state: ReturnType<typeof findServer>['state']): Verdict {
	if (state === 'stopped') return { wait: 'PostgreSQL was stopped by a signal (SIGSTOP) and is waited for' }
	if (state === 'unseen') return { refuses: 'PostgreSQL has lost its leading process' }
	// cannot_connect_now: it says in words whether it comes or goes.
	if (error.code === '57P03' && /shutting down/.test(error.message)) return { refuses: 'PostgreSQL does not end' }
	if (error.code === '57P03') return { wait: 'PostgreSQL recovers and is waited for' }
	if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return { refuses: 'PostgreSQL does not listen' }
	return { wait: 'PostgreSQL does not answer and is waited for' }
}

/** For how long something has gone wrong in the same way, and when that is worth a line in the log. */
class Failing {
	#kind = ''
	#since = 0
	#reported = 0

	/** Notes that it goes wrong. @returns whether it is new, or was last reported half a minute ago */
	isDue(kind: string): boolean {
		const now = Date.now()
		if (kind !== this.#kind) {
			this.#kind = kind
			this.#since = now
			this.#reported = 0
		}
		if (now - this.#reported < REPORT_EVERY_MS) return false
		this.#reported = now
		return true
	}

	get milliseconds(): number {
		return Date.now() - this.#since
	}

	end(): void {
		this.#kind = ''
	}
}
