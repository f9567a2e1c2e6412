import { format } from 'node:util'
import { trace } from '@opentelemetry/api'
import pino, { type DestinationStream, type LogFn, type Logger } from 'pino'
import { config } from '~/config.server.ts'
import { isSiteFault } from './errors.ts'
import { remember } from './remember.ts'
import { requestScope } from './request-scope.server.ts'

/** Bytes of lines that wait while they cannot be written; further ones are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * The log of the process: JSON lines on standard error, without cookies, bodies or addresses with tokens. An error is logged as
 * name, message and code; with its stack only at LOG_LEVEL=debug, and in development.
 */
export const log = remember('log', () =>
	pino(
		{
			level: config().LOG_LEVEL,
			serializers: { err: describeError },
			base: null,
			mixin: nameRequest,
			hooks: { logMethod: skipOutageErrors },
			timestamp: pino.stdTimeFunctions.isoTime,
			redact: ['password', 'token', '*.password', '*.token'],
		},
		standardError(),
	),
)

/**
 * Standard error, which may be a file on a disk that is full. Lines wait then: an error of writing them would end the process, and the end
 * of the process would wait for room.
 */
function standardError(): DestinationStream {
	const stream = pino.destination({ dest: 2, minLength: 0, maxLength: MAX_WAITING_BYTES })
	const { flushSync } = stream
	stream.on('error', () => {
		stream.flushSync = () => {}
	})
	stream.on('write', () => {
		stream.flushSync = flushSync
	})
	return stream
}

/**
 * Redirects console output of libraries and Node into the log: React Router writes errors there, and Node warnings and fatal
 * errors. Call it once.
 */
export function logConsole(): void {
	const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error', trace: 'debug' } as const
	for (const [name, level] of Object.entries(levels))
		console[name as keyof typeof levels] = (...args: unknown[]) => {
			const err = args.find((arg) => arg instanceof Error)
			const words = args.filter((arg) => arg !== err)
			log[level]({ from: 'console', ...(err !== undefined && { err }) }, format(...words))
		}
	// As of a file on a full disk, or of a reader that is gone.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
	process.removeAllListeners('warning')
	process.on('warning', (warning) => log.warn({ from: 'node', err: warning }, 'a warning'))
	// Work that nothing awaits, often of a library: the outage itself is logged, so it is not fatal.
	process.on('unhandledRejection', (reason) => {
		if (!isSiteFault(reason)) throw reason
	})
	process.on('uncaughtException', (error) => {
		log.fatal({ err: error }, 'an error that nobody handled ends the process')
		process.exit(1)
	})
}

/** pino's number of the level. */
const FATAL = 60

/** An outage is logged once when it begins and once when it ends, not for each request that is affected. */
function skipOutageErrors(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
	const [first] = args as unknown[]
	const error = (first as { err?: unknown } | null)?.err ?? first
	// What ends the process is logged in any case.
	if (!isSiteFault(error) || level >= FATAL) method.apply(this, args)
}

/** Adds the request id, and the trace if there is one, to lines that are logged during a request. */
function nameRequest(): { requestId?: string; traceId?: string } {
	const scope = requestScope()
	const traceId = trace.getActiveSpan()?.spanContext().traceId
	return { ...(scope && { requestId: scope.requestId }), ...(traceId !== undefined && { traceId }) }
}

/** What is logged of an error. PostgreSQL's `detail` and `where` quote rows and statements, so they are left out. */
export function describeError(error: unknown, withStack = logsStacks()): Record<string, unknown> {
	if (!(error instanceof Error)) return { message: String(error) }
	const { name, message, stack } = error
	const code = 'code' in error ? { code: error.code } : {}
	const cause = error.cause === undefined ? {} : { cause: describeError(error.cause, withStack) }
	return { name, message, ...code, ...cause, ...(withStack ? { stack } : {}) }
}

function logsStacks(): boolean {
	const { LOG_LEVEL, NODE_ENV } = config()
	return NODE_ENV === 'development' || LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace'
}
