import { createHash, randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { Unavailable } from '~/lib/errors.ts'
import { codeOf } from '~/lib/system-errors.ts'
import { histogram } from '~/platform/metrics/metrics.server.ts'
import { beginStatement, endSpan } from '~/platform/tracing/tracing.server.ts'
import { NamedQuery, PreparedRows } from './named-query.server.ts'
import { type Outage, outageKindOf } from './outage.server.ts'
import { LOST_CHECK_MS, SILENCE_BEFORE_PROBE_MS, WATCH_INTERVAL_MS } from './time-limits.server.ts'

/** Longer statements are bulk inserts, whose length varies with their rows: naming each would only fill memory. */
const MAX_NAMED_LENGTH = 10_000
/** Plans that one connection keeps; statements beyond it are planned each time. */
const MAX_NAMED = 400

/** PostgreSQL's code for a statement that is refused because an earlier one of its transaction failed. */
const FAILED_BEFORE = '25P02'

const names = new Map<string, string>()
/** Counts renamed statements, so that each new name is unique. */
let renamed = 0
/** Characters of the base64 SHA-256 of a statement's text, which is its first name. */
const HASH_LENGTH = 43

const statementSeconds = histogram(
	'devquad_database_statement_duration_seconds',
	'Seconds from sending a statement to its answer, with those before it on the same connection.',
	[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
)

/** Whether PostgreSQL has waited for some seconds for a statement on the connection with this `application_name`. */
export type IsIdleThere = (name: string) => Promise<boolean>

/**
 * A connection on which PostgreSQL parses and plans each statement once, as statements are named by their text. Statements begun in
 * the same tick are sent by one system call.
 */
export class NamedStatements extends pg.Client {
	private gathering = false
	private readonly prepared: PreparedRows
	private readonly outage: Outage | undefined
	private readonly clientTimeout: number
	private readonly isIdleThere: IsIdleThere | undefined
	/** Of `pg`, whose types omit it. */
	declare private readonly connectionParameters: { application_name?: string }
	/** Statements that were sent and not answered yet. */
	private unanswered = 0
	/** Milliseconds since the last answer, while one is awaited. */
	private silence = 0
	private endedBecause: Unavailable | undefined
	/** Whether a statement failed because the server can only be read, as after a failover it may be a replica for as long as it is connected. */
	isReadOnly = false

	constructor(options?: pg.ClientConfig & { outage?: Outage; clientTimeout?: number; isIdleThere?: IsIdleThere }) {
		super(options)
		this.prepared = new PreparedRows(this.connection)
		this.outage = options?.outage
		this.clientTimeout = options?.clientTimeout ?? 0
		this.isIdleThere = options?.isIdleThere
		if (this.isIdleThere) this.connectionParameters.application_name ??= `devquad ${randomUUID()}`
	}

	// biome-ignore lint/suspicious/noExplicitAny: pg's query has seven signatures; this one passes every argument on.
	override query(...args: any[]): any {
		const [text, values] = args
		this.gather()
		const named = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined
		const query = named ? [new NamedQuery({ name: named, text, values }, this.prepared), ...args.slice(2)] : args
		if (!this.outage) return this.send(query)
		return this.watched(query, this.outage)
	}

	/** Sends a statement, reports when it is answered, and translates errors to the site's own. */
	private watched(args: unknown[], outage: Outage): unknown {
		this.expect()
		const began = performance.now()
		const span = spanOf(args[0])
		const last = args.length - 1
		const callback = args[last]
		if (typeof callback === 'function') {
			args[last] = (error: unknown, result: unknown) => {
				this.noteAnswer(began)
				if (span) endSpan(span, error ?? undefined)
				const replanned = error ? this.replan(args[0], error) : null
				if (replanned) this.watched([replanned, ...args.slice(1, last), callback], outage)
				else callback(error ? this.explain(error, outage) : error, result)
			}
			return this.send(args)
		}
		const answer: unknown = this.send(args)
		if (!(answer instanceof Promise)) {
			this.noteAnswer()
			if (span) endSpan(span)
			return answer
		}
		return answer.then(
			(result) => {
				this.noteAnswer(began)
				if (span) endSpan(span)
				return result
			},
			async (error) => {
				this.noteAnswer(began)
				if (span) endSpan(span, error)
				// Whoever waits for several learns first of the one that failed by itself, however many functions its error passes through.
				if (codeOf(error) === FAILED_BEFORE) await turn()
				const replanned = this.replan(args[0], error)
				if (replanned) return this.watched([replanned], outage)
				// Otherwise the stack would show the socket's event instead of the caller.
				Error.captureStackTrace(error)
				throw this.explain(error, outage)
			},
		)
	}

	/** As `query` of `pg`. @returns a promise, unless there is a callback or the query is a submittable */
	private send(args: unknown[]): unknown {
		const [query, callback] = args
		const send = (...all: unknown[]): unknown => super.query(...(all as Parameters<pg.Client['query']>))
		if (!(query instanceof NamedQuery) || typeof callback === 'function') return send(...args)
		return new Promise((resolve, reject) => {
			send(query, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)))
		})
	}

	/**
	 * A replacement for a prepared statement that PostgreSQL refuses because a table has new columns since it was planned, as when
	 * another node migrated. Under the same name it would be refused forever, on every connection.
	 * @returns null for other errors, or when the transaction has failed with it
	 */
	private replan(query: unknown, error: unknown): pg.QueryConfig | null {
		const { name, text = '', values } = query as pg.QueryConfig
		if (name === undefined || (error as pg.DatabaseError).routine !== 'RevalidateCachedQuery') return null
		if (names.get(text) === name) {
			renamed += 1
			names.set(text, `${name.slice(0, HASH_LENGTH)}${renamed}`)
		}
		const statement = query instanceof NamedQuery ? { text, values } : (query as pg.QueryConfig)
		return this.getTransactionStatus() === 'I' ? { ...statement, name: nameOf(text) } : null
	}

	/** Destroys the connection at once, without a termination message; pending statements fail with this reason. */
	abandon(reason: Unavailable): void {
		this.endedBecause = reason
		this.end().catch(() => {})
		this.connection.stream.destroy()
	}

	/** Whether this is a connection to the database of this outage. */
	isOf(outage: Outage): boolean {
		return this.outage === outage
	}

	/**
	 * Ends the connection if PostgreSQL waits for a statement on it, too: one was lost on the way, or its answer. A statement of long work
	 * would otherwise wait until the system gives up the connection, which takes a quarter of an hour.
	 */
	private async endIfLost(isIdleThere: IsIdleThere): Promise<void> {
		const { silence } = this
		const isIdle = await isIdleThere(this.connectionParameters.application_name ?? '').catch(() => false)
		if (isIdle && this.silence >= silence) this.abandon(new Unavailable('A connection to the database was lost.'))
	}

	/** Call at regular intervals while statements are unanswered. */
	wait(milliseconds: number): void {
		this.silence += milliseconds
		if (this.silence === SILENCE_BEFORE_PROBE_MS) this.outage?.suspect('a statement is not answered')
		if (this.isIdleThere && this.silence % LOST_CHECK_MS === 0) void this.endIfLost(this.isIdleThere)
		if (this.clientTimeout > 0 && this.silence >= this.clientTimeout)
			this.abandon(new Unavailable('The site is very busy and could not do this in time. Try again in a moment.'))
	}

	private expect(): void {
		if (this.unanswered === 0) {
			this.silence = 0
			watch(this)
		}
		this.unanswered += 1
	}

	/** @param began when the statement was sent; not given for partial answers */
	private noteAnswer(began?: number): void {
		if (began !== undefined) statementSeconds((performance.now() - began) / 1_000)
		this.unanswered -= 1
		this.silence = 0
		if (this.unanswered === 0) waiting.delete(this)
	}

	private explain(error: unknown, outage: Outage): unknown {
		if (outageKindOf(error) === 'read-only') this.isReadOnly = true
		return outage.explain(this.endedBecause ?? error)
	}

	private gather(): void {
		if (this.gathering) return
		this.gathering = true
		const { stream } = this.connection
		stream.cork()
		process.nextTick(() => {
			this.gathering = false
			stream.uncork()
		})
	}
}

/** Connections with a statement that is not answered yet. */
const waiting = new Set<NamedStatements>()
let timer: NodeJS.Timeout | undefined

/** Counts ticks instead of reading a clock: when this process was busy for long, that is one tick, and pending input is read before the next. */
function watch(client: NamedStatements): void {
	waiting.add(client)
	timer ??= setInterval(look, WATCH_INTERVAL_MS).unref()
}

function look(): void {
	for (const client of [...waiting]) client.wait(WATCH_INTERVAL_MS)
	if (waiting.size > 0) return
	clearInterval(timer)
	timer = undefined
}

/** Ends every connection to this database that awaits an answer. */
export function closeWaitingConnections(outage: Outage, reason: Unavailable): void {
	for (const client of [...waiting]) if (client.isOf(outage)) client.abandon(reason)
}

function spanOf(query: unknown): ReturnType<typeof beginStatement> {
	const { text, values } = (typeof query === 'string' ? { text: query } : query) as {
		text?: string
		values?: unknown[]
	}
	return text === undefined ? null : beginStatement(text, Array.isArray(values))
}

function nameOf(text: string): string | undefined {
	const known = names.get(text)
	if (known || text.length > MAX_NAMED_LENGTH || names.size >= MAX_NAMED) return known
	const name = createHash('sha256').update(text).digest('base64url')
	names.set(text, name)
	return name
}
