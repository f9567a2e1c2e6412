import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import type { Config } from '../app/config.server.ts'
import { closeDatabase } from '../app/db/db.server.ts'
import { log } from '../app/lib/log.server.ts'
import { keepAlive } from './keep-alive.ts'
import type { Startup } from './startup.ts'

/** What a worker tells the process that started it. */
export type FromWorker = { kind: 'ready' } | { kind: 'failed'; reason: string }

/** What a worker is told: where the database is, which its leader has started and migrated. */
export interface ToWorker {
	connection: PoolConfig
}

/** Milliseconds that all workers together may take to stop; the database under them needs its time after that. */
const patience = 3_300

/**
 * Leads WEB_CONCURRENCY workers that serve on one port: holds the data directory and the database for them, and starts a
 * worker again that ends.
 * @returns the port, once all of them serve
 * @throws Error with one sentence when a worker cannot start
 */
export async function lead(startup: Startup, settings: Config): Promise<number> {
	const team = new Team(settings.WEB_CONCURRENCY)
	// The port is theirs before anything is made for a site that could not open it.
	const port = await team.gather()
	const connection = await startup.openDatabase(settings)
	await closeDatabase()
	startup.onEnd(() => team.dismiss(), patience + 200)
	await team.begin(connection)
	return port
}

class Team {
	readonly #size: number
	readonly #connection = Promise.withResolvers<PoolConfig>()
	#serving: Promise<unknown> = Promise.resolve()
	#stopping = false

	constructor(size: number) {
		this.#size = size
	}

	/** Starts the workers. @returns the port that they listen on */
	async gather(): Promise<number> {
		const listening = once(cluster, 'listening') as Promise<[Worker, { port: number }]>
		this.#serving = Promise.all(Array.from({ length: this.#size }, () => this.#place()))
		// `begin` waits for it; a failure before that is no stray one.
		this.#serving.catch(() => {})
		const failed = this.#serving.then(() => listening)
		const [, { port }] = await Promise.race([listening, failed])
		return port
	}

	/** Has the workers begin, on this database. @returns when all of them serve */
	async begin(connection: PoolConfig): Promise<void> {
		this.#connection.resolve(connection)
		await this.#serving
	}

	/** Ends every worker in order, and without it who does not end in time. */
	async dismiss(): Promise<void> {
		this.#stopping = true
		const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
		const ended = workers.map((worker) => worker.isDead() || once(worker, 'exit'))
		for (const worker of workers) worker.process.kill('SIGTERM')
		await Promise.race([Promise.all(ended), sleep(patience, undefined, { ref: false })])
		for (const worker of workers) if (!worker.isDead()) worker.process.kill('SIGKILL')
	}

	/** A place in the team, taken by one worker after the other. @returns when the first one serves */
	#place(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>()
		let hasServed = false
		let reason: string | undefined
		const hear = (message: FromWorker) => {
			if (message.kind === 'failed') reason = message.reason
			else {
				hasServed = true
				resolve()
			}
		}
		keepAlive(
			() => this.#fork().on('message', hear),
			(ending) => {
				if (this.#stopping) return false
				if (hasServed) log.warn({ ...ending, reason }, 'a worker ended and is started again')
				else reject(new Error(reason ?? 'A worker ended before it served.'))
				reason = undefined
				return hasServed
			},
		)
		return promise
	}

	#fork(): Worker {
		const worker = cluster.fork()
		const tell = (message: ToWorker) => worker.isConnected() && worker.send(message, () => {})
		void this.#connection.promise.then((connection) => tell({ connection }))
		return worker
	}
}
