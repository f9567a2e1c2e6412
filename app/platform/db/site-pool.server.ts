import pg from 'pg'
import { type IsIdleThere, NamedStatements } from './named-statements.server.ts'
import type { Outage } from './outage.server.ts'
import { databaseScope } from './scope.server.ts'
import { CONNECTION_TIMEOUT_MS, KEEP_ALIVE_MS, SERVER_KEEP_ALIVE } from './time-limits.server.ts'

/** Options of a pool whose clients report missing answers. */
export interface SitePoolOptions extends pg.PoolConfig {
	outage: Outage
	/** Milliseconds that a statement may stay unanswered; 0 for no limit. */
	clientTimeout: number
	/** For a pool without that limit, how to find out whether a connection was lost. */
	isIdleThere?: IsIdleThere
}

type Connected = Parameters<pg.Pool['connect']>[0]

/** A pool that fails at once while the database is unavailable, and translates errors to the site's own. */
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
			options: SERVER_KEEP_ALIVE,
			...options,
		} as pg.PoolConfig)
		this.outage = options.outage
		// The pool replaces an idle connection that PostgreSQL ends; it is often the first sign of an outage.
		this.on('error', (error) => this.outage.suspect(error))
		this.on('connect', (client) => client.on('error', () => {}))
		// A new one leads to the server that can be written.
		this.on('release', (_error, client) => {
			if (client instanceof NamedStatements && client.isReadOnly) client.end().catch(() => {})
		})
	}

	override connect(): Promise<pg.PoolClient>
	override connect(callback: Connected): void
	/** @throws Unavailable when no connection is free in time, and at once while the database is unavailable */
	override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
		const taken = this.take()
		if (!callback) return taken
		taken.then(
			(client) => callback(undefined, client, client.release),
			(error) => callback(error, undefined, () => {}),
		)
	}

	/** As `query` of `pg`, which passes on the error of a connection that ends as it is. @throws Unavailable, DiskFull */
	// biome-ignore lint/suspicious/noExplicitAny: pg's query has seven signatures; this one passes every argument on.
	override query(...args: any[]): any {
		const answer: unknown = super.query(...(args as Parameters<pg.Pool['query']>))
		if (!(answer instanceof Promise)) return answer
		return answer.catch((error) => {
			throw this.outage.explain(error)
		})
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

// Libraries such as rate-limiter-flexible recognize a pool by its class name.
Object.defineProperty(SitePool, 'name', { value: 'Pool' })
