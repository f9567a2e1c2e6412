import { describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { getSection, saveSection } from './site-settings.server.ts'

/* Settings as admins type them. */

useDatabase()

let admin: Awaited<ReturnType<typeof makeMember>> | undefined

/** Saves a section with some fields changed. @returns the texts of its fields afterwards */
async function save(name: string, typed: Record<string, string>): Promise<Record<string, string>> {
	admin ??= await makeMember('admin', 'admin')
	const before = await getSection(admin, name)
	const fields = Object.fromEntries(before.settings.map(({ field, text }) => [field, text]))
	await saveSection(admin, name, { ...fields, ...typed, version: String(before.version) })
	const { settings } = await getSection(admin, name)
	return Object.fromEntries(settings.map(({ field, text }) => [field, text]))
}

describe('a list', () => {
	test('of roles keeps the blanks within a role', async () => {
		const saved = await save('directory-login', { staffRoles: 'Library Staff,  employee,' })
		expect(saved.staffRoles).toBe('library staff, employee')
	})

	test('of tags uses the forum’s spelling of each', async () => {
		expect(await save('tags', { reserved: 'Exam Rules, official' })).toEqual({ reserved: 'exam-rules, official' })
	})

	test('of domains may also be separated by blanks', async () => {
		expect(await save('registration', { domains: 'campus.example labs.example' })).toMatchObject({
			domains: 'campus.example, labs.example',
		})
	})
})

test('a text of several lines is the same with the line ends of a form without scripts', async () => {
	admin ??= await makeMember('admin', 'admin')
	const { settings } = await getSection(admin, 'report-reasons')
	const [{ text = '' } = {}] = settings
	expect(text.split('\n').length).toBeGreaterThan(1)
	await save('report-reasons', { reasons: text.replaceAll('\n', '\r\n') })
	expect((await getSection(admin, 'report-reasons')).changes).toEqual([])
	const longest = 'A line.\n'.repeat(50)
	expect(await save('front-page', { text: longest.replaceAll('\n', '\r\n') })).toMatchObject({ text: longest.trim() })
})

test.each([
	['campus-login', 'no claim tells students'],
	['saml-login', 'no attribute tells students'],
	['directory-login', 'no attribute tells students'],
])('%s speaks of what its login service sends', async (name, words) => {
	admin ??= await makeMember('admin', 'admin')
	const { settings } = await getSection(admin, name)
	expect(settings.find(({ label }) => label.endsWith('with the role'))?.hint).toContain(words)
})

test.each([
	['site', 'authorUrl', 'www.campus.example', 'Enter an address that begins with https://.'],
	['site', 'securityContact', 'nobody', 'Enter an email address, or an address that begins with https://.'],
	['operator', 'contact', 'nobody', 'Enter an email address.'],
	['announcement', 'url', 'campus.example', 'Enter an address that begins with https://, or one of this site'],
])('%s: an error in %s says what to enter', async (section, field, typed, words) => {
	await expect(save(section, { [field]: typed })).rejects.toMatchObject({
		fields: { [field]: expect.stringContaining(words) },
	})
})
