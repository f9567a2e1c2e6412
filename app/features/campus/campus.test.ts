import { afterEach, describe, expect, test } from 'vitest'
import { dateStyle } from '~/lib/dates.ts'
import { CAMPUS_LIFETIME_MS, campusOf, campusStatus, domainOf, isCampusVerified } from './campus.view.ts'

const day = 86_400_000
const now = Date.parse('2026-11-21T12:00:00Z')
const ago = (milliseconds: number) => new Date(now - milliseconds)
const university = { name: 'Eastmere University', country: 'Nowhere' }
const row = {
	university_email: 'mira@eastmere.example',
	campus_name: 'Eastmere University',
	campus_verified_at: ago(day),
}

afterEach(() => {
	dateStyle.zone = undefined
})

describe('a confirmation', () => {
	test.each([
		['counts from the first moment', ago(0), true],
		['counts on its last day', ago(CAMPUS_LIFETIME_MS - 1), true],
		['does not count after a year', ago(CAMPUS_LIFETIME_MS), false],
		['does not count when there is none', null, false],
	])('%s', (_, campus_verified_at, counts) => {
		expect(isCampusVerified({ ...row, campus_verified_at }, now)).toBe(counts)
		expect(campusOf({ ...row, campus_verified_at }, now)).toBe(counts ? 'Eastmere University' : '')
	})

	test('without a university does not count', () => {
		expect(isCampusVerified({ ...row, campus_name: '' }, now)).toBe(false)
	})
})

describe('the status for the member', () => {
	test.each([
		['missing', { university_email: '' }, null],
		['foreign', { campus_name: '', campus_verified_at: null }, null],
		['open', { campus_name: '', campus_verified_at: null }, university],
		['verified', { campus_verified_at: ago(300 * day) }, university],
		['verified', { campus_verified_at: ago(300 * day) }, null],
		['ending', { campus_verified_at: ago(351 * day) }, university],
		['lapsed', { campus_verified_at: ago(365 * day) }, university],
		['foreign', { campus_verified_at: ago(365 * day) }, null],
	] as const)('is %s for %j', (state, changes, of) => {
		expect(campusStatus({ ...row, ...changes }, of, now).state).toBe(state)
	})

	test('contains the last day', () => {
		expect(campusStatus(row, university, now).until).toBe('2027-11-20')
		expect(campusStatus({ ...row, campus_verified_at: ago(366 * day) }, university, now).until).toBeNull()
	})

	test('contains the last day in the site’s time zone', () => {
		dateStyle.zone = 'Asia/Kolkata'
		const late = { ...row, campus_verified_at: new Date('2026-11-20T20:00:00Z') }
		expect(campusStatus(late, university, now).until).toBe('2027-11-21')
	})
})

test.each([
	['mira@eastmere.example', 'eastmere.example'],
	['"a@b"@eastmere.example', 'eastmere.example'],
	['', ''],
])('the domain of %j is %j', (email, domain) => {
	expect(domainOf(email)).toBe(domain)
})
