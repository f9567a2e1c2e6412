import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolConfig } from 'pg'
import type { Config } from '../app/config.server.ts'
import { log } from '../app/lib/log.server.ts'
import { closeDatabase } from '../app/platform/db/db.server.ts'
import { keepAlive } from '../scripts/support/keep-alive.mjs'
import { shutdownLimits } from './limits.ts'
import type { Startup } from './startup.ts'
import { gatherMetrics } from './worker-metrics.ts'

/** A message from a worker to its parent. `leaving`: it received a signal to stop, and serves until the parent allows it. */
export type FromWorker = { kind: 'ready' } | { kind: 'failed'; reason: string } | { kind: 'leaving' }

/**
 * A message to a worker. `start`: whether it opens the port at once, as the first ones do, or only when it can serve. `begin`:
 * where the database is, which the parent has started and migrated. `leave`: it may stop, as a replacement serves, or the site
 * stops.
 */
export type ToWorker =
	| { kind: 'start'; listensFirst: boolean }
	| { kind: 'begin'; connection: PoolConfig }
	| { kind: 'leave' }

/**
 * Runs WEB_CONCURRENCY workers on one port: holds the data directory and the database for them, and restarts a worker that ends.
 * @returns the port, once all of them serve
 * @throws Error with one sentence when a worker cannot start
 */
export async function serveAsPrimary(startup: Startup, settings: Config): Promise<number> {
	// Workers accept by themselves. A connection that this process hands over is never answered where the worker is killed meanwhile.
	cluster.schedulingPolicy = cluster.SCHED_NONE
	const team = new Team(settings.WEB_CONCURRENCY)
	if (settings.METRICS_TOKEN) gatherMetrics()
	try {
		// Opens the port first, so that nothing is created for a site that could not open it.
		const port = await team.gather()
		const connection = await startup.openDatabase(settings)
		await closeDatabase()
		startup.onEnd(() => team.dismiss(), shutdownLimits.processMs + 500)
		await team.begin(connection)
		return port
	} catch (error) {
		// Workers that are still starting would find no parent, and hold the port for a moment longer.
		await team.dismiss()
		throw error
	}
}

class Team {
	readonly #size: number
	readonly #connection = Promise.withResolvers<PoolConfig>()
	#serving: Promise<unknown> = Promise.resolve()
	#stopping = false
	/** The workers that can serve. */
	readonly #ready = new Set<Worker>()
	/** Functions that stop restarting workers. */
	readonly #stopRestarting: (() => void)[] = []

	constructor(size: number) {
		this.#size = size
	}

	/** Starts the workers. @returns the port that they listen on */
	async gather(): Promise<number> {
		const listening = once(cluster, 'listening') as Promise<[Worker, { port: number }]>
		this.#serving = Promise.all(Array.from({ length: this.#size }, () => this.#position()))
		// `begin` awaits it; this keeps an earlier failure from being an unhandled rejection.
		this.#serving.catch(() => {})
		const failed = this.#serving.then(() => listening)
		const [, { port }] = await Promise.race([listening, failed])
		return port
	}

	/** Gives the workers the database. @returns once all of them serve */
	async begin(connection: PoolConfig): Promise<void> {
		this.#connection.resolve(connection)
		await this.#serving
	}

	/** Ends all workers in order, and kills those that do not end in time. */
	async dismiss(): Promise<void> {
		this.#stopping = true
		for (const stopRestarting of this.#stopRestarting) stopRestarting()
		const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
		// Not `once` of node:events, which rejects on an error, such as of a message to a dead worker.
		const ended = workers.map((worker) => worker.isDead() || new Promise((resolve) => worker.once('exit', resolve)))
		for (const worker of workers) {
			send(worker, { kind: 'leave' })
			worker.process.kill('SIGTERM')
		}
		await Promise.race([Promise.all(ended), sleep(shutdownLimits.processMs, undefined, { ref: false })])
		for (const worker of workers) if (!worker.isDead()) worker.process.kill('SIGKILL')
	}

	/** A position in the team, filled by one worker after the other. @returns once the first one serves */
	#position(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>()
		let hasServed = false
		let reason: string | undefined
		let leaving: Worker | undefined
		const onMessage = (worker: Worker, message: FromWorker) => {
			if (message.kind === 'failed') reason = message.reason
			else if (message.kind === 'leaving') {
				if (this.#stopping) return send(worker, { kind: 'leave' })
				leaving = worker
				log.info('a worker stops as soon as another one serves in its place')
				worker.emit('replace')
			} else if (message.kind === 'ready') {
				hasServed = true
				this.#ready.add(worker)
				if (leaving) send(leaving, { kind: 'leave' })
				leaving = undefined
				resolve()
			}
		}
		const start = () => {
			const worker = this.#fork({ listensFirst: this.#ready.size === 0 })
			worker.once('exit', () => this.#ready.delete(worker))
			return worker.on('message', (message) => onMessage(worker, message))
		}
		const stopRestarting = keepAlive(start, (ending) => {
			if (this.#stopping) return false
			if (hasServed) log.warn({ ...ending, reason }, 'a worker ended and is being restarted')
			else reject(new Error(reason ?? 'A worker ended before it was ready.'))
			reason = undefined
			return hasServed
		})
		this.#stopRestarting.push(stopRestarting)
		return promise
	}

	#fork(how: { listensFirst: boolean }): Worker {
		const worker = cluster.fork()
		// Node's own messages may find the worker dead as well; its `exit` is handled.
		worker.on('error', () => {})
		send(worker, { kind: 'start', ...how })
		void this.#connection.promise.then((connection) => send(worker, { kind: 'begin', connection }))
		return worker
	}
}

function send(worker: Worker, message: ToWorker): void {
	if (worker.isConnected()) worker.send(message, () => {})
}
