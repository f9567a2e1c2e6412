import pg from 'pg'
import { NamedStatements } from './named-statements.server.ts'
import type { Outage } from './outage.server.ts'
import { databaseScope } from './scope.server.ts'
import { CONNECTION_TIMEOUT_MS, KEEP_ALIVE_MS } from './time-limits.server.ts'

/** Options of a pool whose clients know whom to tell that nobody answers. */
export interface SitePoolOptions extends pg.PoolConfig {
	outage: Outage
	/** Milliseconds that a statement may stay without an answer; 0 is no limit. */
	clientTimeout: number
}

type Connected = Parameters<pg.Pool['connect']>[0]

/** A pool that lets nobody wait for a database that is away, and says what went wrong in the site's own errors. */
export class SitePool extends pg.Pool {
	private readonly outage: Outage

	constructor(options: SitePoolOptions) {
		super({
			max: 10,
			idleTimeoutMillis: 0,
			Client: NamedStatements,
			pipeline: true,
			connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
			keepAlive: true,
			keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
			...options,
		} as pg.PoolConfig)
		this.outage = options.outage
		// An idle connection that PostgreSQL ends is replaced by the pool; it is often the first sign that the database goes.
		this.on('error', (error) => this.outage.suspect(error))
		this.on('connect', (client) => client.on('error', () => {}))
	}

	override connect(): Promise<pg.PoolClient>
	override connect(callback: Connected): void
	/** @throws Unavailable when there is no connection in time, at once while the database is away */
	override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
		const taken = this.take()
		if (!callback) return taken
		taken.then(
			(client) => callback(undefined, client, client.release),
			(error) => callback(error, undefined, () => {}),
		)
	}

	private take(): Promise<pg.PoolClient> {
		const refusal = databaseScope()?.refusal ?? this.outage.refusal()
		if (refusal) return Promise.reject(refusal)
		return new Promise((resolve, reject) => {
			let gaveUp = false
			const stop = this.outage.onAway((away) => {
				gaveUp = true
				reject(away)
			})
			super.connect((error, client, release) => {
				stop()
				if (error || !client) reject(error)
				else if (gaveUp) release()
				else resolve(client)
			})
		}).catch((error) => {
			throw this.outage.explain(error)
		}) as Promise<pg.PoolClient>
	}
}

// Libraries such as rate-limiter-flexible tell a pool by the name of its class.
Object.defineProperty(SitePool, 'name', { value: 'Pool' })
