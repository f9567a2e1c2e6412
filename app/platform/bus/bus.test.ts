import { expect, test } from 'vitest'
import { joinParts, partsOf } from './bus.ts'

test.each([
	['nothing', ''],
	['a short one', 'one two'],
	['one with a line break', 'one\ntwo'],
	['a long one', 'x'.repeat(50_000)],
	['a long one of three bytes each', '学'.repeat(20_000)],
	['a long one of pairs', `x${'🙂'.repeat(20_000)}`],
	['one that begins like a part', `3 ${'y'.repeat(9_000)}`],
])('%s comes out of its parts as it was, and each part fits', (_what, message) => {
	const parts = partsOf(message, 7_999)
	for (const part of parts) {
		expect(Buffer.byteLength(`${crypto.randomUUID()} ${part}`)).toBeLessThan(8_000)
		expect(Buffer.from(part).toString()).toBe(part)
	}
	const join = joinParts()
	const joined = parts.map((part) => join('sender', part))
	expect(joined.at(-1)).toBe(message)
	expect(joined.slice(0, -1).every((result) => result === null)).toBe(true)
})

test('parts of two senders that arrive in turn do not mix', () => {
	const join = joinParts()
	const [ones, twos] = ['1', '2'].map((text) => partsOf(text.repeat(9_000), 7_999))
	const joined = (ones ?? []).flatMap((part, index) => [join('one', part), join('two', twos?.[index] ?? '')])
	expect(joined.slice(-2)).toEqual(['1'.repeat(9_000), '2'.repeat(9_000)])
})
