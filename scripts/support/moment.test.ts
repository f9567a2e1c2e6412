import { expect, test } from 'vitest'
import { parseMoment } from './moment.ts'

test.each([
	['2026-11-24 15:30', new Date(2026, 10, 24, 15, 30)],
	['2026-11-24T15:30:20', new Date(2026, 10, 24, 15, 30, 20)],
	['2026-11-24T15:30:20.5Z', new Date('2026-11-24T15:30:20.500Z')],
	['2026-11-24 23:30-05:00', new Date('2026-11-25T04:30:00Z')],
	['2028-02-29 10:00', new Date(2028, 1, 29, 10)],
])('%s is a moment', (text, moment) => {
	expect(parseMoment(text)).toEqual(moment)
})

test.each([
	'2026-02-30 10:00',
	'2026-11-31T15:30Z',
	'2026-13-01 10:00',
	'2026-11-24 25:00',
	'2026-11-24',
	'yesterday',
	'',
])('“%s” is rejected, and never read as another moment', (text) => {
	expect(() => parseMoment(text)).toThrow('--to takes a moment')
})
