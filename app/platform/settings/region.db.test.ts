import { afterEach, beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { isBackupDue } from '~/features/backups/backups.server.ts'
import { getSection, saveSection } from '~/features/site-settings/site-settings.server.ts'
import { siteTime } from '~/lib/calendar.ts'
import { dateStyle } from '~/lib/dates.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { daysBefore, momentOf, mondayOf } from './region.server.ts'

useDatabase()

let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
})
afterEach(() => save('en', 'UTC'))

async function save(locale: string, zone: string): Promise<void> {
	const { version } = await getSection(admin, 'region')
	await saveSection(admin, 'region', { locale, zone, version: String(version) })
}

test('a saved time zone applies to all dates at once, and an unknown zone is refused', async () => {
	await save('en-US', 'Europe/Berlin')
	expect(siteTime('2026-11-21T18:41:00Z')).toBe('Nov 21, 2026, 7:41 pm (Berlin)')
	for (const zone of ['Mars/Olympus', 'europe/berlin', '+05:30'])
		await expect(save('en', zone)).rejects.toMatchObject({ fields: { zone: /^Choose a time zone of the list/ } })
	await save('en', 'Etc/UTC')
	expect(dateStyle).toEqual({ locale: 'en', zone: undefined })
	const { settings } = await getSection(admin, 'region')
	expect(settings[1]?.suggestions).toContain('America/New_York')
})

test.each([
	// In Berlin, clocks go forward on 29 March and back on 25 October 2026.
	['Europe/Berlin', '2026-03-29', 0, '2026-03-28T23:00'],
	['Europe/Berlin', '2026-03-29', 3, '2026-03-29T01:00'],
	['Europe/Berlin', '2026-03-30', 0, '2026-03-29T22:00'],
	['Europe/Berlin', '2026-10-26', 0, '2026-10-25T23:00'],
	['Asia/Kolkata', '2026-01-01', 3, '2025-12-31T21:30'],
	['Pacific/Auckland', '2026-01-01', 0, '2025-12-31T11:00'],
	// Midnight does not exist there: clocks go from 23:59 to 1:00.
	['America/Santiago', '2026-09-06', 0, '2026-09-06T04:00'],
	['Africa/Cairo', '2026-04-24', 0, '2026-04-23T22:00'],
	['UTC', '2026-01-01', 23, '2026-01-01T23:00'],
])('in %s, %s at %i is %s UTC', async (zone, day, hour, moment) => {
	await save('en', zone)
	expect(momentOf(day, hour).toISOString()).toBe(`${moment}:00.000Z`)
})

test('weeks begin and backups are due in the site’s time zone', async () => {
	const sunday = Date.parse('2026-11-22T20:00:00Z')
	expect(mondayOf(sunday)).toBe('2026-11-16')
	expect(isBackupDue(new Date(sunday), 3, new Date('2026-11-22T04:00:00Z'))).toBe(false)
	await save('en', 'Asia/Kolkata')
	expect(mondayOf(sunday)).toBe('2026-11-23')
	expect(isBackupDue(new Date('2026-11-22T21:29:00Z'), 3, new Date('2026-11-22T04:00:00Z'))).toBe(false)
	expect(isBackupDue(new Date('2026-11-22T21:31:00Z'), 3, new Date('2026-11-22T04:00:00Z'))).toBe(true)
	expect(daysBefore('2026-03-01', 1)).toBe('2026-02-28')
})
