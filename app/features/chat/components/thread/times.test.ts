import { expect, onTestFinished, test, vi } from 'vitest'
import { clockTime, dayName, shortAge } from './times.ts'

const now = Date.parse('2026-11-21T12:00:30Z')

test.each([
	['2026-11-21T00:05:00Z', '12:05 am'],
	['2026-11-21T09:00:00Z', '9:00 am'],
	['2026-11-21T12:00:00Z', '12:00 pm'],
	['2026-11-21T18:41:59Z', '6:41 pm'],
])('the time of %s is %s', (at, said) => {
	expect(clockTime(at, 'site')).toBe(said)
})

test.each([
	['2026-11-21T00:00:00Z', 'Today'],
	['2026-11-20T23:59:59Z', 'Yesterday'],
	['2026-11-19T12:00:00Z', 'Thu 19 Nov'],
	['2025-11-19T12:00:00Z', 'Wed 19 Nov 2025'],
])('the day of %s is called %s', (at, name) => {
	expect(dayName(at, now, 'site')).toBe(name)
})

test.each([
	['2026-11-21T12:00:10Z', 'now'],
	['2026-11-21T12:01:00Z', 'now'],
	['2026-11-21T11:34:00Z', '26 min'],
	['2026-11-21T10:30:00Z', '1 h'],
	['2026-11-21T00:10:00Z', '11 h'],
	['2026-11-20T11:00:00Z', 'Yesterday'],
	['2026-11-18T11:00:00Z', 'Wed'],
	['2026-11-14T11:00:00Z', '14 Nov'],
	['2025-11-14T11:00:00Z', '14 Nov 2025'],
])('a list shows %s as %s', (at, said) => {
	expect(shortAge(at, now, 'site')).toBe(said)
})

test('shortly after midnight, a message of an hour ago is “1 h ago” and not “Yesterday”', () => {
	expect(shortAge('2026-11-20T23:30:00Z', Date.parse('2026-11-21T00:40:00Z'), 'site')).toBe('1 h')
})

test('a list shows an old message with its day in the zone of the reader, as the conversation does', () => {
	onTestFinished(() => void vi.unstubAllEnvs())
	vi.stubEnv('TZ', 'America/New_York')
	const old = ['2026-11-02T03:00:00Z', '2026-01-01T03:00:00Z']
	expect(old.map((at) => shortAge(at, now, 'local'))).toEqual(['1 Nov', '31 Dec 2025'])
})
