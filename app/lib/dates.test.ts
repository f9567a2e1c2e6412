import { afterEach, describe, expect, test } from 'vitest'
import { dayAndMonth, fullDate, monthAndYear, siteDay, siteTime } from './calendar.ts'
import { dateStyle, referenceTime, relativeTime, shortDate } from './dates.ts'
import { formatNumber } from './text.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

test.each([
	['2026-11-21T12:00:30Z', 'just now'],
	['2026-11-21T11:59:01Z', 'just now'],
	['2026-11-21T11:59:00Z', '1 min ago'],
	['2026-11-21T11:42:00Z', '18 min ago'],
	['2026-11-21T09:00:00Z', '3 h ago'],
	['2026-11-20T12:00:00Z', 'Yesterday'],
	['2026-11-20T00:00:00Z', 'Yesterday'],
	['2026-11-19T23:59:59Z', '2 days ago'],
	['2026-11-18T12:00:00Z', '3 days ago'],
	['2026-11-12T08:00:00Z', '12 Nov'],
	['2025-01-02T08:00:00Z', '2 Jan 2025'],
])('%s is displayed as “%s”', (at, expected) => {
	expect(relativeTime(at, now)).toBe(expected)
})

test.each([
	['a fresh page over the turn of a minute', '11:59:59.900', '12:00:00.100', '11:59:59.900'],
	['a browser whose clock is behind', '12:00:30', '11:58:00', '12:00:30'],
	['a page that is a minute old', '12:00:30', '12:01:30', '12:01:00'],
	['a page from a cache', '11:50:30', '12:00:59', '12:00:00'],
])('%s: relative times refer to a moment that avoids jumps', (_, served, clock, expected) => {
	const moment = (time: string) => Date.parse(`2026-11-21T${time}Z`)
	expect(referenceTime(moment(served), moment(clock))).toBe(moment(expected))
})

test('the full time in UTC has the format that the browser uses in its own zone', () => {
	expect(siteTime('2026-11-21T05:12:33.123Z')).toBe('Sat Nov 21 2026 05:12:33 UTC')
})

test('the day is that of the requested zone', () => {
	expect(dayAndMonth(Date.parse('2026-11-21T23:59:00Z'), 'site')).toBe('Saturday, 21 November')
})

test('dates without a time keep their month', () => {
	expect(monthAndYear('2026-03-01')).toBe('Mar 2026')
	expect(monthAndYear(null)).toBe('')
	expect(shortDate('2026-03-01T00:00:00Z', now)).toBe('1 Mar')
})

describe('with the site’s region and zone', () => {
	afterEach(() => Object.assign(dateStyle, { locale: 'en', zone: undefined }))

	test.each([
		[
			'en',
			undefined,
			['21 Nov', '2 Jan 2025', 'Saturday, 21 November', '1 March 2026', 'Sat Nov 21 2026 18:41:00 UTC'],
		],
		[
			'en-GB',
			'Europe/London',
			['21 Nov', '2 Jan 2025', 'Saturday, 21 November', '1 March 2026', '21 Nov 2026, 18:41 (London)'],
		],
		[
			'en-US',
			'America/New_York',
			['Nov 21', 'Jan 1, 2025', 'Saturday, November 21', 'March 1, 2026', 'Nov 21, 2026, 1:41 pm (New York)'],
		],
		[
			'en-IN',
			'Asia/Kolkata',
			['22 Nov', '2 Jan 2025', 'Sunday, 22 November', '1 March 2026', '22 Nov 2026, 12:11 am (Kolkata)'],
		],
		[
			'en-NZ',
			'Pacific/Auckland',
			['22 Nov', '2 Jan 2025', 'Sunday, 22 November', '1 March 2026', '22 Nov 2026, 7:41 am (Auckland)'],
		],
	])('%s in %s', (locale, zone, said) => {
		Object.assign(dateStyle, { locale, zone })
		const at = '2026-11-21T18:41:00Z'
		expect([
			shortDate(at, Date.parse(at)),
			shortDate('2025-01-02T03:00:00Z', Date.parse(at)),
			dayAndMonth(Date.parse(at), 'site'),
			fullDate('2026-03-01'),
			siteTime(at),
		]).toEqual(said)
		expect(siteDay(at)).toBe(said[0]?.includes('22') ? '2026-11-22' : '2026-11-21')
	})

	test('“Yesterday” is the previous day in the site’s zone, even when a day has 25 hours', () => {
		Object.assign(dateStyle, { zone: 'Asia/Kolkata' })
		expect(relativeTime('2026-11-19T18:30:00Z', now)).toBe('Yesterday')
		expect(relativeTime('2026-11-19T18:29:59Z', now)).toBe('2 days ago')
		Object.assign(dateStyle, { zone: 'America/St_Johns' })
		const endOfDay = Date.parse('2026-11-02T03:20:00Z')
		expect(relativeTime('2026-11-01T02:40:00Z', endOfDay)).toBe('24 h ago')
		expect(relativeTime('2026-11-01T02:20:00Z', endOfDay)).toBe('Yesterday')
	})

	test('numbers are grouped by lakhs in India', () => {
		expect([1_284, 123_456, 12_345_678].map(formatNumber)).toEqual(['1,284', '123,456', '12,345,678'])
		dateStyle.locale = 'en-IN'
		expect([1_284, 123_456, 12_345_678].map(formatNumber)).toEqual(['1,284', '1,23,456', '1,23,45,678'])
	})
})
