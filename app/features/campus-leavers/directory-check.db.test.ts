import { randomUUID } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { findLdapSubjects, ldapIssuer, parseGuid } from '~/features/campus-login/ldap.server.ts'
import { logInByLdap } from '~/features/campus-login/ldap-login.server.ts'
import { ldapSection } from '~/features/campus-login/ldap-section.server.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import {
	baseDn,
	bindDn,
	bindPassword,
	type Directory,
	memberPassword,
	slapd,
	startDirectory,
} from '../../../tests/support/ldap-site.ts'
import { requestOf, saveSettings } from '../../../tests/support/login-visits.ts'
import { checkDirectory, decideHeldCheck, markConfirmed } from './directory-check.server.ts'
import { findLastCheck } from './leavers.queries.server.ts'
import { getLeavers } from './leavers-page.server.ts'
import { takeMarkBack } from './marking.server.ts'

/* The nightly check of a real directory: OpenLDAP's slapd in a child process. */

useDatabase()
useJobTables()

const name = slapd ? 'the check of the directory' : 'the check of the directory (skipped: slapd is not installed)'

describe.skipIf(!slapd)(name, () => {
	let directory: Directory
	let admin: SignedIn
	let drawn = 0

	beforeAll(async () => {
		directory = await startDirectory(slapd ?? '')
		setDefaultCACertificates([...getCACertificates('default'), directory.certificate])
		admin = await makeMember('admin', 'admin')
		await directory.enrol('first')
		await save({})
	})

	afterAll(() => directory.stop())

	beforeEach(async () => {
		await sql`delete from identities`.execute(db())
		await sql`delete from directory_checks`.execute(db())
		await sql`delete from graphile_worker._private_jobs`.execute(db())
	})

	async function save(input: Record<string, string>): Promise<void> {
		const access = { baseDn, bindDn, 'password-bindPassword': bindPassword, subjectAttribute: 'uid' }
		const usual = { isOn: 'on', address: directory.address, startTls: 'on', userFilter: '(uid={username})' }
		await saveSettings(admin, 'directory-login', { ...usual, ...access, ...input })
	}

	/** A member with an identity of the directory. @param isThere whether the directory has it */
	async function enrolled(isThere: boolean, subject?: string): Promise<SignedIn> {
		drawn += 1
		const uid = `student${drawn}`
		if (isThere) await directory.enrol(uid)
		const member = await makeMember(uid)
		await sql`insert into profiles (user_id, university_email, campus_name, campus_verified_at)
			values (${member.id}, ${`${uid}@uni.example`}, 'Eastmere', now())`.execute(db())
		await sql`insert into identities (user_id, provider, issuer, subject, used_at)
			values (${member.id}, 'ldap', ${ldapIssuer({ baseDn })}, ${subject ?? uid}, now() - interval '9 days')`.execute(
			db(),
		)
		return member
	}

	/** Some members who are in the directory, so that one who is not is a small part. */
	const crowd = async (size: number) => {
		for (let one = 0; one < size; one += 1) await enrolled(true)
	}

	/** Two checks, a day apart. */
	async function twoNights(): Promise<void> {
		await checkDirectory()
		await nextNight()
	}

	async function nextNight(): Promise<void> {
		await sql`update identities set missing_since = missing_since - interval '1 day'`.execute(db())
		await sql`update directory_checks set at = at - interval '1 day'`.execute(db())
		await checkDirectory()
	}

	async function stateOf({ id }: SignedIn) {
		const { rows } = await sql<{ left: boolean; absent: boolean; verified: boolean }>`
			select left_campus_at is not null as left, absent_since is not null as absent, campus_verified_at is not null as verified
			from users join profiles on user_id = id where id = ${id}`.execute(db())
		return rows[0]
	}

	const stays = { left: false, absent: false, verified: true }
	const left = { left: true, absent: true, verified: false }

	test('whoever is missing in two nights is marked, told, and back after a login', async () => {
		const [gone, there] = [await enrolled(false), await enrolled(true, ` STUDENT${drawn + 1} `)]
		await sql`update users set second_email = 'gone@home.example' where id = ${gone.id}`.execute(db())
		await checkDirectory()
		await checkDirectory()
		expect(await stateOf(gone)).toEqual(stays)
		await nextNight()
		expect([await stateOf(gone), await stateOf(there)]).toEqual([left, stays])
		for (const address of ['gone@home.example', `${gone.username}@campus.example`])
			expect(await queuedMails(address)).toMatchObject([{ text: expect.stringContaining('you have left it') }])
		await directory.enrol(gone.username)
		await logInByLdap(form({ username: gone.username, password: memberPassword }), requestOf('/login/ldap'))
		expect(await stateOf(gone)).toMatchObject({ left: false, absent: false })
		await nextNight()
		expect(await stateOf(gone)).toMatchObject({ left: false })
	})

	test('a member found in between has to be missing twice again', async () => {
		const member = await enrolled(false)
		await crowd(1)
		await checkDirectory()
		await directory.enrol(member.username)
		await nextNight()
		await directory.remove(member.username)
		await checkDirectory()
		expect(await stateOf(member)).toEqual(stays)
		await nextNight()
		expect(await stateOf(member)).toEqual(left)
	})

	test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
		['that is down', () => directory.stop(), () => directory.start()],
		[
			'without anybody that the filter lets in',
			async () => {
				await directory.enrol('other', { sn: 'other' })
				await save({ userFilter: '(&(uid={username})(sn=other))' })
			},
			() => save({}),
		],
		['that identifies people by another attribute', () => save({ subjectAttribute: 'entryUUID' }), () => save({})],
	])('a directory %s says nothing about anybody', async (_what, breakIt, mend) => {
		const members = [await enrolled(false), await enrolled(true)]
		await checkDirectory()
		await breakIt()
		await nextNight()
		expect((await findLastCheck())?.state).toBe('failed')
		await mend()
		for (const member of members) expect(await stateOf(member)).toEqual(stays)
	})

	test('too many at once are held, and admins are asked once; ignored, nobody is marked', async () => {
		const gone = await Promise.all([1, 2, 3, 4].map(() => enrolled(false)))
		await crowd(2)
		await twoNights()
		await nextNight()
		expect(await findLastCheck()).toMatchObject({ state: 'held', asked: 6, missing: 4 })
		const mails = await queuedMails('admin@campus.example')
		expect(mails.map(({ text }) => /4 members of 6/.test(text))).toEqual([true])
		const { check } = await getLeavers(admin)
		expect(check?.sample.map(({ username }) => username).sort()).toEqual(gone.map(({ username }) => username).sort())
		await decideHeldCheck(admin, check?.id ?? 0, 'ignored')
		await checkDirectory()
		for (const member of gone) expect(await stateOf(member)).toEqual(stays)
		expect((await findLastCheck())?.state).toBe('done')
	})

	test('once an admin has confirmed a held check, those are marked whom the directory still does not have', async () => {
		const gone = await Promise.all([1, 2, 3, 4, 5].map(() => enrolled(false)))
		await crowd(1)
		await twoNights()
		const id = (await findLastCheck())?.id ?? 0
		await expect(decideHeldCheck(await makeMember('nobody'), id, 'confirmed')).rejects.toThrow(NotAllowed)
		await decideHeldCheck(admin, id, 'confirmed')
		await expect(decideHeldCheck(admin, id, 'ignored')).rejects.toThrow(Conflict)
		const { rows } = await sql<{ payload: { before: string; by: number } }>`
			select payload from graphile_worker._private_jobs where payload ->> 'before' is not null`.execute(db())
		const [back, ...others] = gone
		await directory.enrol(back?.username ?? '')
		for (const { payload } of rows) await markConfirmed(payload)
		expect(back && (await stateOf(back))).toEqual(stays)
		for (const member of others) expect(await stateOf(member)).toEqual(left)
	})

	test('moderators and admins are never marked: the admins are told', async () => {
		const staff = await enrolled(false)
		await crowd(1)
		await sql`update users set role = 'moderator' where id = ${staff.id}`.execute(db())
		await twoNights()
		await nextNight()
		expect(await stateOf(staff)).toEqual(stays)
		const mails = await queuedMails('admin@campus.example')
		expect(mails.map(({ text }) => /1 moderator or admin of this site/.test(text))).toEqual([true])
		expect((await getLeavers(admin)).staff.map(({ username }) => username)).toEqual([staff.username])
	})

	test('admins get each mail once, also after nights in which the directory was down, and for each who is new', async () => {
		const mails = async (pattern: RegExp) =>
			(await queuedMails('admin@campus.example')).filter(({ text }) => pattern.test(text)).length
		const staff = await enrolled(false)
		await sql`update users set role = 'moderator' where id = ${staff.id}`.execute(db())
		for (let one = 0; one < 4; one += 1) await enrolled(false)
		await crowd(2)
		await twoNights()
		expect([await mails(/members of 7/), await mails(/1 moderator or admin/)]).toEqual([1, 1])
		await directory.stop()
		await nextNight()
		await directory.start()
		await nextNight()
		expect([await mails(/members of 7/), await mails(/1 moderator or admin/)]).toEqual([1, 1])
		// One is solved, and another one is missing: the number is the same.
		const another = await enrolled(false)
		await sql`update users set role = 'moderator' where id = ${another.id}`.execute(db())
		await checkDirectory()
		await sql`update users set role = 'member' where id = ${staff.id}`.execute(db())
		await sql`delete from identities where user_id = ${staff.id}`.execute(db())
		await nextNight()
		expect(await mails(/1 moderator or admin/)).toBe(2)
	})

	test('a check tells how many it marked, not whom the directory has when asked again', async () => {
		// The directory ignores the second space, so that only its own question finds this one.
		await directory.enrol('two words')
		const back = await enrolled(false, 'two  words')
		const gone = await enrolled(false)
		await crowd(1)
		await twoNights()
		expect(await findLastCheck()).toMatchObject({ state: 'done', missing: 1 })
		expect([await stateOf(back), await stateOf(gone)]).toEqual([stays, left])
	})

	test('whose mark an admin has taken back is not marked again, unless the directory had them in between', async () => {
		const guest = await enrolled(false)
		await crowd(1)
		await twoNights()
		await takeMarkBack(admin, guest.id)
		await twoNights()
		await nextNight()
		expect(await stateOf(guest)).toMatchObject({ left: false })
		await directory.enrol(guest.username)
		await nextNight()
		await directory.remove(guest.username)
		await twoNights()
		expect(await stateOf(guest)).toMatchObject({ left: true })
	})

	test('a login at another login of the university proves that somebody is there', async () => {
		const [member, other] = [await enrolled(false), await enrolled(false)]
		await crowd(1)
		for (const { id } of [member, other])
			await sql`insert into identities (user_id, provider, issuer, subject, used_at)
				values (${id}, 'saml', 'https://idp.example', ${randomUUID()}, now() - interval '2 days')`.execute(db())
		await sql`insert into identities (user_id, provider, issuer, subject, used_at)
			values (${other.id}, 'github', 'https://github.com', '1', now())`.execute(db())
		await checkDirectory()
		await sql`update identities set used_at = now() where provider = 'saml' and user_id = ${member.id}`.execute(db())
		await nextNight()
		expect([await stateOf(member), await stateOf(other)]).toEqual([stays, left])
	})

	test('subjects are found in batches, and never by a filter in them', async () => {
		const many = Array.from({ length: 230 }, (_, index) => `nobody${index}`)
		const asked = ['first', '*', 'x)(uid=*', '', ...many, 'FIRST ']
		expect([...(await findLdapSubjects(siteSettings(ldapSection), asked))]).toEqual(['first', 'FIRST '])
	})

	test('subjects may be GUIDs of Active Directory', async () => {
		const guid = randomUUID()
		await directory.enrol('guid', { objectClass: ['inetOrgPerson', 'directoryPerson'], objectGUID: parseGuid(guid) })
		const settings = { ...siteSettings(ldapSection), subjectAttribute: 'objectguid' }
		const found = await findLdapSubjects(settings, [randomUUID(), guid, guid.toUpperCase(), 'none'])
		expect([...found]).toEqual([guid, guid.toUpperCase()])
	})
})
