import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import type { Input } from '~/platform/http/form.server.ts'
import { announceSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { announcementFor, announcementSection, closedAnnouncementCookie } from './announcement.server.ts'
import { registerSections, saveSection } from './site-settings.server.ts'

useDatabase()

const viewers: Record<string, Viewer> = { visitor: null }
let admin: SignedIn

const noon = (day: string) => new Date(`${day}T12:00:00`).getTime()
const save = async (input: Input) => {
	const version = await sql<{ version: number }>`
		select version from site_settings where section = 'announcement'`.execute(db())
	await saveSection(admin, 'announcement', {
		...{ text: '', url: '', linkText: 'Read more', audience: 'everyone', from: '', until: '', canClose: 'on' },
		...input,
		version: String(version.rows[0]?.version ?? 1),
	})
}

beforeAll(async () => {
	registerSections([announcementSection])
	admin = await makeMember('admin', 'admin')
	viewers.member = await makeMember('member')
	viewers.moderator = await makeMember('moderator', 'moderator')
	viewers.admin = admin
})

afterEach(async () => {
	await sql`delete from site_setting_changes`.execute(db())
	await sql`delete from site_settings`.execute(db())
	await announceSettings()
})

test('without a text there is no announcement', async () => {
	await save({ url: '/forum' })
	expect(announcementFor(null, null)).toBeNull()
})

test.each([
	['everyone', ['visitor', 'member', 'moderator', 'admin']],
	['visitors', ['visitor']],
	['members', ['member', 'moderator', 'admin']],
	['staff', ['moderator', 'admin']],
])('an announcement for %s is shown to %j', async (audience, expected) => {
	await save({ text: 'Exams begin on Monday.', audience })
	const seeing = Object.keys(viewers).filter((who) => announcementFor(viewers[who] ?? null, null))
	expect(seeing).toEqual(expected)
})

test.each([
	['without days', {}, ['2026-08-31', '2026-09-01', '2026-09-30', '2026-10-01']],
	['from a day on', { from: '2026-09-01' }, ['2026-09-01', '2026-09-30', '2026-10-01']],
	['until a day is over', { until: '2026-09-30' }, ['2026-08-31', '2026-09-01', '2026-09-30']],
	['between two days', { from: '2026-09-01', until: '2026-09-30' }, ['2026-09-01', '2026-09-30']],
	['on one day', { from: '2026-09-30', until: '2026-09-30' }, ['2026-09-30']],
])('%s it is shown on the configured days', async (_when, days, expected) => {
	await save({ text: 'Exams begin on Monday.', ...days })
	const asked = ['2026-08-31', '2026-09-01', '2026-09-30', '2026-10-01']
	expect(asked.filter((day) => announcementFor(null, null, noon(day)))).toEqual(expected)
})

test('a member can close it in their browser until its text changes; visitors, who share cached pages, cannot', async () => {
	const member = viewers.member ?? null
	await save({ text: 'The site is slow tonight.', url: 'https://status.campus.example/' })
	const shown = announcementFor(member, null)
	expect(shown).toMatchObject({
		text: 'The site is slow tonight.',
		link: { url: 'https://status.campus.example/', text: 'Read more' },
		isClosable: true,
	})
	const cookie = closedAnnouncementCookie(shown?.id)?.split(';')[0] ?? ''
	expect(cookie).toMatch(/^announcement=[\w-]{12}$/)
	expect(announcementFor(member, `a=b; ${cookie}`)).toBeNull()
	expect(announcementFor(null, cookie)).toMatchObject({ isClosable: false })
	await save({ text: 'The site is slow tomorrow, too.', url: 'https://status.campus.example/' })
	expect(announcementFor(member, cookie)).toMatchObject({ isClosable: true })
	await save({ text: 'The site is slow tonight.', url: 'https://status.campus.example/', canClose: '' })
	expect(announcementFor(member, cookie)).toMatchObject({ isClosable: false })
})

test.each([null, '', 'short', 'x'.repeat(13), 'with;semico;', 'a\r\nSet-Cooki'])('the id %j sets no cookie', (id) => {
	expect(closedAnnouncementCookie(id)).toBeNull()
})

test.each<[string, Input, string]>([
	['a last day before the first', { from: '2026-09-02', until: '2026-09-01' }, 'until'],
	['a day that the calendar does not have', { from: '2026-02-30' }, 'from'],
	['a script as the link', { url: 'javascript:alert(1)' }, 'url'],
	['an address of another site without its scheme', { url: '//elsewhere.example' }, 'url'],
	['a link without words', { url: '/forum', linkText: '' }, 'linkText'],
	['a text that is too long', { text: 'x'.repeat(301) }, 'text'],
	['an audience that there is not', { audience: 'nobody' }, 'audience'],
])('%s is refused at its field', async (_what, input, field) => {
	const error = await save({ text: 'Hello', ...input }).catch((thrown: unknown) => thrown)
	expect(error).toBeInstanceOf(Invalid)
	expect(Object.keys((error as Invalid).fields ?? {})).toEqual([field])
})
