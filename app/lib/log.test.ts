import { spawnSync } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeError } from './log.server.ts'

const failure = Object.assign(new Error('duplicate key'), {
	code: '23505',
	detail: 'Key (email)=(mira@campus.example)',
})

test('an error is logged with its name, message and code, without the row it concerns', () => {
	expect(describeError(failure, false)).toEqual({ name: 'Error', message: 'duplicate key', code: '23505' })
})

test('its stack is logged on request', () => {
	expect(describeError(failure, true)).toHaveProperty('stack', failure.stack)
})

test('a cause is logged in the same way', () => {
	const outer = new Error('the database of DATABASE_URL cannot be used', { cause: failure })
	expect(describeError(outer, false).cause).toEqual({ name: 'Error', message: 'duplicate key', code: '23505' })
})

test.each([['a text'], [undefined], [null]])('a thrown non-error, such as %j, is logged as text', (thrown) => {
	expect(describeError(thrown, false)).toEqual({ message: String(thrown) })
})

/** Arguments of Node before a script in TypeScript. */
const evaluating = ['--import', './scripts/support/alias.mjs', '--input-type=module', '--eval']

test.each([
	['an outage that nobody waits for passes', `Promise.reject(new Unavailable('away'))`, 0, ''],
	[
		'an outage that a callback throws is told before it ends the process',
		`setTimeout(() => { throw new Unavailable('away') })`,
		1,
		'away',
	],
	[
		'another error that nobody waits for is told before it ends the process',
		`Promise.reject(new Error('a bug'))`,
		1,
		'a bug',
	],
])('%s', (_what, work, status, message) => {
	const script = `
		const { logConsole } = await import('~/lib/log.server.ts')
		const { Unavailable } = await import('~/lib/errors.ts')
		logConsole()
		${work}`
	const ended = spawnSync(process.execPath, [...evaluating, script], {
		encoding: 'utf8',
		env: { PATH: process.env.PATH, LOG_LEVEL: 'warn' },
	})
	const fatal = ended.stderr.split('\n').filter((line) => line.includes('nobody handled'))
	expect([ended.status, fatal.map((line) => JSON.parse(line).err.message)]).toEqual([status, message ? [message] : []])
})

test.runIf(existsSync('/dev/full'))(
	'a log that cannot be written, as on a full disk, neither ends the process nor keeps it',
	() => {
		const script = `
		const { stat } = await import('node:fs/promises')
		const { log, logConsole } = await import('~/lib/log.server.ts')
		logConsole()
		for (let line = 0; line < 50; line += 1) {
			log.warn('a line')
			process.stderr.write('a line')
			await stat('.')
		}
		process.stdout.write('still here')
		process.exit(0)`
		const ended = spawnSync(process.execPath, [...evaluating, script], {
			encoding: 'utf8',
			env: { PATH: process.env.PATH, LOG_LEVEL: 'warn' },
			stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
			timeout: 20_000,
		})
		expect([ended.status, ended.stdout]).toEqual([0, 'still here'])
	},
)
