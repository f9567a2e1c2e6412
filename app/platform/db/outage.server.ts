import pg from 'pg'
import { DiskFull, DomainError, isSiteFault, Unavailable } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { requestScope } from '~/lib/request-scope.server.ts'
import { PROBE_INTERVAL_MS, PROBE_TIMEOUT_MS } from './time-limits.server.ts'

const awayMessage = 'The site cannot reach its database right now. Nothing is lost; try again in a moment.'
const readOnlyMessage =
	'The database of this site can only be read right now, so nothing can be saved. Try again in a moment.'
const busyMessage = 'The site is very busy and could not do this in time. Try again in a moment.'

/** SQLSTATE classes and codes of a connection that is useless: it is ending, starting, or there are too many. */
const awayCodes = /^(08...|57P01|57P02|57P03|57P05|53300|25P03)$/
/** Errors of a Unix socket that is missing, or whose folder belongs to another account. */
const socketCodes = /^(ENOENT|EACCES)$/
/** Errors of the network below. */
const networkCodes = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
/** Errors that `pg` and its pool report without a code. */
const awayWords =
	/^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after)/
/** There is no room on the disk, or none for this account. */
const fullCodes = /^(53100|ENOSPC|EDQUOT)$/
/** The same in the words of PostgreSQL, which has no code for a quota. */
const fullWords = /No space left on device|Disk quota exceeded/
/** The server is a replica, or reads only for another reason, such as a read-only disk. */
const readOnlyCodes = /^25006$/
const readOnlyWords = /Read-only file system/
/** A statement or a lock took longer than its limit; or so many files are open that there is no new connection. */
const busyCodes = /^(57014|55P03|EMFILE|ENFILE)$/

type Kind = 'away' | 'busy' | 'disk-full' | 'read-only' | null

/** Classifies an error of `pg`: what it says about the database; null for an error of the statement. The only place that decides this. */
export function outageKindOf(error: unknown): Kind {
	if (!(error instanceof Error)) return null
	const { code = '', syscall } = error as NodeJS.ErrnoException
	if (fullCodes.test(code) || fullWords.test(error.message)) return 'disk-full'
	if (readOnlyCodes.test(code) || (error instanceof pg.DatabaseError && readOnlyWords.test(error.message)))
		return 'read-only'
	if (busyCodes.test(code)) return 'busy'
	if (awayCodes.test(code) || networkCodes.test(code)) return 'away'
	if (socketCodes.test(code) && syscall === 'connect') return 'away'
	return code === '' && awayWords.test(error.message) ? 'away' : null
}

/** A full disk fills the log as well. Milliseconds between two lines. */
const UNSAVED_LOG_INTERVAL_MS = 60_000
let unsavedLoggedAt = Number.NEGATIVE_INFINITY

/** Tracks whether the database is unavailable, and since when. Meanwhile statements fail at once instead of waiting. */
export class Outage {
	private readonly options: pg.PoolConfig
	private since: number | null = null
	/** Why the last probe failed. */
	private cause: unknown
	private probing = false
	private stopped = false
	private readonly listeners = new Set<(refusal: Unavailable) => void>()

	/** @param options where the database is */
	constructor(options: pg.PoolConfig) {
		this.options = options
	}

	get isAway(): boolean {
		return this.since !== null
	}

	/** Milliseconds that the database has been unavailable; 0 when it is available. */
	get lasting(): number {
		return this.since === null ? 0 : performance.now() - this.since
	}

	/** The error for a statement that needs the database now; undefined when it is available. */
	refusal(): Unavailable | undefined {
		return this.isAway
			? recordedInScope(new Unavailable(awayMessage, { isOutage: true, cause: this.cause }))
			: undefined
	}

	/** Calls back when the database becomes unavailable. @returns unsubscribes */
	onAway(listener: (refusal: Unavailable) => void): () => void {
		this.listeners.add(listener)
		return () => this.listeners.delete(listener)
	}

	/** Translates an error of `pg`: to {@link Unavailable}, {@link DiskFull}, or itself. */
	explain(error: unknown): unknown {
		if (isSiteFault(error)) return recordedInScope(error)
		if (error instanceof DomainError) return error
		const kind = outageKindOf(error)
		if (kind === null) return error
		if (kind === 'disk-full') return diskFullError(error)
		if (kind === 'busy') {
			log.warn({ err: error }, 'a statement took longer than its limit, or got no connection')
			return recordedInScope(new Unavailable(busyMessage, { cause: error }))
		}
		if (kind === 'read-only') {
			logUnsaved(error, 'the database can only be read: nothing can be saved')
			return recordedInScope(new Unavailable(readOnlyMessage, { cause: error }))
		}
		this.suspect(error)
		return recordedInScope(new Unavailable(awayMessage, { isOutage: true, cause: error }))
	}

	/** Probes the database, unless a probe is running. */
	suspect(reason: unknown): void {
		if (this.probing || this.stopped) return
		this.probing = true
		void this.probe(reason).finally(() => {
			this.probing = false
		})
	}

	/** Stops probing. */
	stop(): void {
		this.stopped = true
	}

	/** Probes until it answers. The first failure may be a blip; the second begins the outage. */
	private async probe(reason: unknown): Promise<void> {
		for (let failures = 0; !this.stopped; ) {
			const failure = await probeFailure(this.options)
			if (failure === null) {
				this.end()
				return
			}
			this.cause = failure
			failures += 1
			if (failures === 2) this.begin(reason)
			if (failures > 1) await pause(PROBE_INTERVAL_MS)
		}
	}

	private begin(reason: unknown): void {
		if (this.stopped) return
		this.since = performance.now()
		// Logged as a reason: the log skips errors of an outage.
		log.error({ reason: reason instanceof Error ? reason.message : reason }, 'the database cannot be reached')
		for (const listener of [...this.listeners]) listener(new Unavailable(awayMessage, { isOutage: true }))
	}

	private end(): void {
		if (this.since === null) return
		const seconds = Math.round(this.lasting / 100) / 10
		this.since = null
		log.warn({ seconds }, 'the database answers again')
	}
}

/** Logs why nothing can be saved, at most once per {@link UNSAVED_LOG_INTERVAL_MS}. */
function logUnsaved(error: unknown, message: string): void {
	if (performance.now() - unsavedLoggedAt <= UNSAVED_LOG_INTERVAL_MS) return
	unsavedLoggedAt = performance.now()
	log.error({ reason: error instanceof Error ? error.message : String(error) }, message)
}

/** The error of a write that failed because the disk is full. */
export function diskFullError(error: unknown): DiskFull {
	logUnsaved(error, 'the disk is full: nothing can be saved')
	for (const listener of fullDiskListeners) listener()
	return recordedInScope(new DiskFull(error))
}

const fullDiskListeners = new Set<() => void>()

/** Calls back whenever a write fails because the disk is full. */
export function onDiskFull(listener: () => void): void {
	fullDiskListeners.add(listener)
}

/** Remembers the error with the request, as libraries may replace it by one of their own. */
function recordedInScope<Refusal extends Unavailable | DiskFull>(refusal: Refusal): Refusal {
	const scope = requestScope()
	if (scope) scope.outage = refusal
	return refusal
}

/** Why PostgreSQL does not answer; null where it does, even with a refusal such as "too many clients". */
async function probeFailure({ Client: _client, max: _max, ...options }: pg.PoolConfig): Promise<Error | null> {
	const client = new pg.Client({ ...options, connectionTimeoutMillis: 0, statement_timeout: 0 })
	client.on('error', () => {})
	const probed = client
		.connect()
		.then(() => client.query('select 1'))
		.then(
			() => null,
			(error) => (typeof error.severity === 'string' && !/^57P0[123]$/.test(error.code) ? null : error),
		)
	const failure = await Promise.race([
		probed,
		pause(PROBE_TIMEOUT_MS)
			.then(afterInput)
			.then(() => new Error('PostgreSQL did not answer a probe in time.')),
	])
	// A suspended server would not read a termination message.
	client.end().catch(() => {})
	if (failure) streamOf(client)?.destroy()
	return failure
}

/** Lets pending input be read before an answer counts as missing: this process may have been busy. */
async function afterInput(): Promise<void> {
	for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function pause(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}

/** The socket of a client, which `pg` keeps private. */
function streamOf(client: pg.Client): { destroy: () => void } | undefined {
	return (client as unknown as { connection?: { stream?: { destroy: () => void } } }).connection?.stream
}
