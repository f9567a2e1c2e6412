import pino from 'pino'
import { config } from '~/config.server.ts'
import { remember } from './remember.ts'
import { requestScope } from './request-scope.server.ts'

/**
 * The process's log: lines of JSON on standard error, without cookies, bodies or addresses that carry a token.
 * An error is its name, message and code; its stack only for who asks for it with LOG_LEVEL=debug, or develops.
 */
export const log = remember('log', () =>
	pino(
		{
			level: config().LOG_LEVEL,
			serializers: { err: describeError },
			base: null,
			mixin: nameRequest,
			timestamp: pino.stdTimeFunctions.isoTime,
			redact: ['password', 'token', '*.password', '*.token'],
		},
		pino.destination(2),
	),
)

/** Every line that is written during a request names it. */
function nameRequest(): { requestId?: string } {
	const scope = requestScope()
	return scope ? { requestId: scope.requestId } : {}
}

/** What a log tells of an error. PostgreSQL's `detail` and `where` quote rows and statements, so they are never told. */
export function describeError(error: unknown, withStack = tellsStacks()): Record<string, unknown> {
	if (!(error instanceof Error)) return { message: String(error) }
	const { name, message, stack } = error
	const code = 'code' in error ? { code: error.code } : {}
	const cause = error.cause === undefined ? {} : { cause: describeError(error.cause, withStack) }
	return { name, message, ...code, ...cause, ...(withStack ? { stack } : {}) }
}

function tellsStacks(): boolean {
	const { LOG_LEVEL, NODE_ENV } = config()
	return NODE_ENV === 'development' || LOG_LEVEL === 'debug' || LOG_LEVEL === 'trace'
}
