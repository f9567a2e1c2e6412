import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerLoginMethods } from '~/features/accounts/login-methods.server.ts'
import { listMembers, readFilters } from '~/features/administration/members/members.server.ts'
import { features } from '~/features/index.server.ts'
import { saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { sentMails, useJobTables } from '../../../../tests/support/jobs.ts'
import { saveSettings, viewerWithCookies } from '../../../../tests/support/login-visits.ts'
import { offerSaml } from '../../../../tests/support/saml-trips.ts'
import { progressOf } from '../invites.view.ts'
import { makeInvite } from '../joining/invites.server.ts'
import { requireInvite } from '../joining/joining.server.ts'
import { deleteOldAddresses } from './lists.queries.server.ts'
import { getList, mailLists, makeList, sendList } from './lists.server.ts'

useDatabase()
useJobTables()

let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('registrar', 'admin')
})

test('a list is not sent while nobody could join, and is afterwards', async () => {
	const id = await makeList(admin, { days: '1', addresses: 'early@campus.example' })
	const rules = { domains: '', version: '1' }
	await saveSection(admin, 'registration', { ...rules, mode: 'closed' })
	await expect(sendList(admin, id)).rejects.toThrow(
		'Nobody could join with these links. Nobody can register here at the moment.',
	)
	expect(await getList(admin, id)).toMatchObject({ state: 'draft' })
	await saveSection(admin, 'registration', { ...rules, mode: 'invited', version: '2' })
	await sendList(admin, id)
})

test('a list whose links have expired cannot be sent', async () => {
	const id = await makeList(admin, { days: '1', addresses: 'new@campus.example' })
	await sql`update invite_lists set state = 'stopped', expires_at = now() where id = ${id}`.execute(db())
	await expect(sendList(admin, id)).rejects.toThrow('have expired')
	expect(await getList(admin, id)).toMatchObject({ state: 'stopped' })
})

test('the mails say until when their links work', async () => {
	const id = await makeList(admin, { days: '30', addresses: 'until@campus.example' })
	await sql`update invite_lists set expires_at = '2099-03-04 17:05:00Z' where id = ${id}`.execute(db())
	await sendList(admin, id)
	await mailLists()
	const [mail] = await sentMails('until@campus.example')
	expect(mail?.text).toContain('The link works until 4 Mar 2099, 5:05 pm UTC.')
})

test('a line that is cut within an emoji is reported like any other', async () => {
	const id = await makeList(admin, { days: '1', addresses: `new@campus.example\n${'a'.repeat(99)}🦊 for ever` })
	expect((await getList(admin, id)).report.leftOut).toEqual([
		{ line: 2, text: 'a'.repeat(99), why: 'This is not an email address.' },
	])
})

test('a workbook of Excel is refused, as it is no text', async () => {
	const file = new File([Buffer.from('PK\x03\x04\x14\0\x06\0[Content_Types].xml')], 'students.xlsx')
	await expect(makeList(admin, { days: '1', file })).rejects.toThrow('This is not a text file.')
})

test('a list says how many joined, and the members can be narrowed to them, also after the other addresses were deleted', async () => {
	const id = await makeList(admin, {
		days: '1',
		addresses: ['a', 'b', 'c'].map((name) => `${name}@past.example`).join('\n'),
	})
	await sendList(admin, id)
	await mailLists()
	const { id: member } = await makeMember('past')
	await sql`update users set invited_address_id = (select min(id) from invited_addresses where list_id = ${id})
		where id = ${member}`.execute(db())
	expect(progressOf(await getList(admin, id))).toBe('3 of 3 addresses mailed, 1 joined')
	await sql`update invite_lists set expires_at = now() - interval '31 days' where id = ${id}`.execute(db())
	expect(await deleteOldAddresses(30, 10)).toBe(2)
	expect(progressOf(await getList(admin, id))).toBe('1 of 3 addresses joined, the others are deleted')
	const joined = await listMembers(admin, readFilters(new Map([['list', String(id)]])), null)
	expect(joined.rows.map(({ username }) => username)).toEqual(['past'])
})

describe('with a login of the university', () => {
	let saml: Awaited<ReturnType<typeof offerSaml>>

	beforeAll(async () => {
		saml = await offerSaml()
	})

	afterAll(() => saml.campus.stop())

	/** A login of the student, the first one of another. @returns the cohort of the account, and whether it came by an invitation */
	async function firstLogin() {
		const { cookies } = await saml.trip()
		const { rows } = await sql<{ cohort: string; invited: boolean }>`
			select cohort, invited_address_id is not null as invited from users
			where id = ${(await viewerWithCookies(cookies))?.id}`.execute(db())
		return rows[0]
	}

	test('who is on a list, and comes by it with the address, has the cohort and is not mailed any more', async () => {
		const invite = (cohort: string) =>
			makeList(admin, { days: '1', cohort, addresses: `student${saml.enrolNext()}@eastmere.example` })
		const sent = await invite('CSE 2028')
		await sendList(admin, sent)
		expect(await firstLogin()).toEqual({ cohort: 'CSE 2028', invited: true })
		await mailLists()
		expect(await getList(admin, sent)).toMatchObject({ joined: 1, mailed: 1 })
		const expired = await invite('CSE 2029')
		await sendList(admin, expired)
		await sql`update invite_lists set expires_at = now() where id = ${expired}`.execute(db())
		expect(await firstLogin()).toEqual({ cohort: '', invited: false })
		// A draft may be discarded.
		await invite('CSE 2030')
		expect(await firstLogin()).toEqual({ cohort: '', invited: false })
		const unconfirmed = await invite('CSE 2031')
		await sendList(admin, unconfirmed)
		await saml.save({ trustsEmail: '' })
		expect(await firstLogin()).toEqual({ cohort: '', invited: false })
		await saml.save({ trustsEmail: 'on' })
	})

	test('the cohort of the list replaces the one that the login delivers, which does not replace it later', async () => {
		await saveSettings(admin, 'campus-fields', { cohortClaim: 'group' })
		const listed = await makeList(admin, {
			...{ days: '1', cohort: 'CSE 2028', addresses: `student${saml.enrolNext()}@eastmere.example` },
		})
		await sendList(admin, listed)
		for (const group of ['Everybody of CSE', 'Everybody of CSE', 'Everybody']) {
			saml.enrol(saml.campus.visitor, { attributes: { group } })
			expect(await firstLogin()).toEqual({ cohort: 'CSE 2028', invited: true })
		}
		await saveSettings(admin, 'campus-fields', { cohortClaim: '' })
	})

	test('where it is the only way in, lists are sent and lead there, if it makes accounts; links are refused', async () => {
		const { address } = await makeInvite(admin, { uses: '9', days: '1', cohort: '' })
		const id = await makeList(admin, { days: '1', addresses: 'only@campus.example', cohort: 'ME 2028' })
		const loginMethods = { buttons: () => [], onlyWay: () => 'Eastmere account' }
		registerLoginMethods([{ name: 'saml', loginMethods }])
		await saml.save({ registers: '' })
		await expect(sendList(admin, id)).rejects.toThrow('turn on “New people get an account” in its settings')
		await saml.save({ registers: 'on' })
		await sendList(admin, id)
		await mailLists()
		const [mail] = await sentMails('only@campus.example')
		expect(mail?.text).toContain('It leads to the login of the university')
		const tokenIn = (text = '') => /token=([\w-]+)/.exec(text)?.[1] ?? ''
		const invited = { email: 'only@campus.example', cohort: 'ME 2028', hasPassword: false }
		expect(await requireInvite(tokenIn(mail?.text))).toMatchObject(invited)
		await expect(requireInvite(tokenIn(address))).rejects.toThrow('Use “Eastmere account” on the login page.')
		registerLoginMethods(features)
		expect(await requireInvite(tokenIn(mail?.text))).toMatchObject({ hasPassword: true })
	})
})
