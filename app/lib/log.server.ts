import pino from 'pino'
import { config } from '~/config.server.ts'
import { remember } from './remember.ts'

/** The process's log: lines of JSON on standard error, without cookies, bodies or addresses that carry a token. */
export const log = remember('log', () =>
	pino(
		{
			level: config().LOG_LEVEL,
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			redact: ['password', 'token', '*.password', '*.token'],
		},
		pino.destination(2),
	),
)
