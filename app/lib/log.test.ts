import { expect, test } from 'vitest'
import { describeError } from './log.server.ts'

const failure = Object.assign(new Error('duplicate key'), {
	code: '23505',
	detail: 'Key (email)=(mira@campus.example)',
})

test('an error is told by its name, message and code, without the row it was about', () => {
	expect(describeError(failure, false)).toEqual({ name: 'Error', message: 'duplicate key', code: '23505' })
})

test('its stack is told to those who asked for it', () => {
	expect(describeError(failure, true)).toHaveProperty('stack', failure.stack)
})

test('a cause is told in the same way', () => {
	const outer = new Error('the database of DATABASE_URL cannot be used', { cause: failure })
	expect(describeError(outer, false).cause).toEqual({ name: 'Error', message: 'duplicate key', code: '23505' })
})

test.each([['a text'], [undefined], [null]])('what is no error, such as %j, is told as text', (thrown) => {
	expect(describeError(thrown, false)).toEqual({ message: String(thrown) })
})
