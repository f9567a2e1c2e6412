import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import type { Config } from '../app/config.server.ts'
import { closeDatabase } from '../app/db/db.server.ts'
import { log } from '../app/lib/log.server.ts'
import { BackOff } from './back-off.ts'
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
	#stopping = false

	constructor(size: number) {
		this.#size = size
	}

	/** Starts the workers. @returns the port that they listen on */
	async gather(): Promise<number> {
		const first = Array.from({ length: this.#size }, () => this.#place())
		this.#started = Promise.all(first.map(({ started }) => started))
		// It is waited for in `begin`; until then a failure is no stray one.
		this.#started.catch(() => {})
		const [, address] = (await Promise.race([once(cluster, 'listening'), this.#started])) as [Worker, { port: number }]
		return address.port
	}

	#started: Promise<unknown> = Promise.resolve()

	/** Has the workers begin, on this database. @returns when all of them serve */
	async begin(connection: PoolConfig): Promise<void> {
		this.#connection.resolve(connection)
		await this.#started
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

	/** A place in the team, taken by one worker after the other. @returns when the first one serves, or that it cannot */
	#place(): { started: Promise<void> } {
		const backOff = new BackOff()
		const { promise: started, resolve, reject } = Promise.withResolvers<void>()
		let hasServed = false
		const take = () => {
			const begun = performance.now()
			const worker = cluster.fork()
			let reason = 'A worker ended before it served.'
			void this.#connection.promise.then((connection) => this.#tell(worker, { connection }))
			worker.on('message', (message: FromWorker) => {
				if (message.kind === 'failed') reason = message.reason
				else {
					hasServed = true
					resolve()
				}
			})
			worker.once('exit', (code, signal) => {
				if (this.#stopping) return
				if (!hasServed) return reject(new Error(reason))
				const wait = backOff.next(performance.now() - begun)
				log.warn({ pid: worker.process.pid, code, signal, wait }, 'a worker ended and is started again')
				setTimeout(() => this.#stopping || take(), wait)
			})
		}
		take()
		return { started }
	}

	#tell(worker: Worker, message: ToWorker): void {
		if (worker.isConnected()) worker.send(message, () => {})
	}
}
