import { expect, test } from 'vitest'
import { decodeIdCursor, decodeTimeCursor, encodeCursor, pageOf } from './cursors.ts'

test('a cursor is decoded to what was encoded, including microseconds', () => {
	const at = '2026-11-21T05:12:33.123456+00:00'
	expect(decodeTimeCursor(encodeCursor([at, 42]))).toEqual({ at, id: 42 })
})

test.each([
	['an empty text', ''],
	['no base64', '%%%'],
	['another shape', encodeCursor(['2026-11-21T05:12:33Z'])],
	['an id that is no integer', encodeCursor(['2026-11-21T05:12:33Z', 1.5])],
	['a time that is none', encodeCursor(['now(); drop table users', 1])],
	['a time that no calendar has', encodeCursor(['2026-99-99T05:12:33Z', 1])],
	['a day that its month does not have', encodeCursor(['2026-02-30T05:12:33Z', 1])],
	['the year 0', encodeCursor(['0000-01-01T05:12:33Z', 1])],
	['a zone that no clock has', encodeCursor(['2026-02-28T05:12:33+23:00', 1])],
	['an id that no row can have', encodeCursor(['2026-11-21T05:12:33Z', 2 ** 31])],
	['an object', Buffer.from('{"a":1}').toString('base64url')],
])('a cursor made from %s is refused', (_what, text) => {
	expect(() => decodeTimeCursor(text)).toThrow('This page of the list no longer exists.')
})

test('the cursor of a list in order of id is its id', () => {
	expect(decodeIdCursor(encodeCursor([42]))).toBe(42)
})

test.each([[0], [1.5], ['1'], [1, 2], [2 ** 31]])(
	'a cursor made from %j is no position in a list in order of id',
	(...parts) => {
		expect(() => decodeIdCursor(encodeCursor(parts))).toThrow('This page of the list no longer exists.')
	},
)

// Some lists read one row more than that.
test.each([
	{ found: [], rows: [], last: null },
	{ found: [9, 8], rows: [9, 8], last: null },
	{ found: [9, 8, 7], rows: [9, 8], last: 8 },
	{ found: [9, 8, 7, 6], rows: [9, 8], last: 8 },
])('a page of two rows, of $found, is followed by another after $last', ({ found, rows, last }) => {
	const next = last === null ? null : encodeCursor([last])
	expect(pageOf(found, 2, (row) => [row])).toEqual({ rows, next })
})
