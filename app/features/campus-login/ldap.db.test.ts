import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { loginMethods } from '~/features/accounts/login-methods.server.ts'
import { Conflict, Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiePairs, form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import {
	baseDn,
	bindDn,
	bindPassword,
	type Directory,
	memberPassword,
	slapd,
	startDirectory,
} from '../../../tests/support/ldap-site.ts'
import { requestOf, saveSettings, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import { setUpApp, submitCode } from '../../../tests/support/second-factor.ts'
import { registerIdentityUses } from './claims.server.ts'
import { authenticateByLdap, formatGuid, parseGuid } from './ldap.server.ts'
import { linkByLdap, logInByLdap } from './ldap-login.server.ts'
import { ldapSection } from './ldap-section.server.ts'
import { listLogins, unlinkIdentity } from './linked-logins.server.ts'
import { ProviderUnreachable } from './provider-fetch.server.ts'
import { checkSession, checkSessionSoon } from './session-checks.server.ts'

/* Logins by a real directory: OpenLDAP's slapd in a child process. */

useDatabase()

test.each([
	['00112233-4455-6677-8899-aabbccddeeff', '33221100554477668899aabbccddeeff'],
	['6f9619ff-8b86-d011-b42d-00c04fc964ff', 'ff19966f868b11d0b42d00c04fc964ff'],
	['20202020-2020-2020-2020-202020202020', '20202020202020202020202020202020'],
])('the GUID %s is stored as %s', (text, hex) => {
	const bytes = Buffer.from(hex, 'hex')
	expect([formatGuid(bytes), formatGuid([bytes]), parseGuid(text), parseGuid(text.toUpperCase())]).toEqual([
		...[text, text, bytes, bytes],
	])
})

test.each([
	undefined,
	'',
	'x'.repeat(16),
	Buffer.alloc(15),
	Buffer.alloc(17),
	[],
	[Buffer.alloc(16), Buffer.alloc(16)],
])('%j is no GUID', (value) => {
	expect(formatGuid(value)).toBeNull()
})

const name = slapd ? 'login by LDAP' : 'login by LDAP (skipped: slapd is not installed)'

describe.skipIf(!slapd)(name, () => {
	let directory: Directory
	let admin: SignedIn
	let made = 0
	let uid = ''

	beforeAll(async () => {
		directory = await startDirectory(slapd ?? '')
		admin = await makeMember('admin', 'admin')
		setDefaultCACertificates([...getCACertificates('default'), directory.certificate])
		await directory.enrol('first')
		await save({})
	})

	afterAll(() => directory.stop())

	beforeEach(async () => {
		made += 1
		uid = `student${made}`
		await directory.enrol(uid, { cn: [uid, `Student ${made}`] })
	})

	/** Saves the settings of the login by LDAP, as an admin does. */
	async function save(input: Record<string, string>): Promise<void> {
		const sent = { isOn: 'on', address: directory.address, startTls: 'on', endsSessions: '', onlyWay: '' }
		const access = { baseDn, bindDn, 'password-bindPassword': bindPassword, roleAttribute: 'employeeType' }
		await saveSettings(admin, 'directory-login', { ...sent, ...access, ...input })
	}

	const request = (cookies: readonly string[] = []) => requestOf('/login/ldap', cookies)

	async function logIn(username = uid, password = memberPassword) {
		const { headers, isNew, leadsTo } = await logInByLdap(form({ username, password }), request())
		const cookies = cookiePairs(headers)
		return { cookies, isNew, leadsTo, viewer: (await viewerWithCookies(cookies)) as SignedIn }
	}

	const isLoggedIn = async (cookies: string[]) => (await viewerWithCookies(cookies)) !== null

	async function sessionOf({ id }: SignedIn): Promise<number> {
		const { rows } = await sql<{ id: number }>`
			update provider_sessions set checked_at = now() - interval '1 day'
			where session_id in (select id from sessions where user_id = ${id}) returning session_id as id`.execute(db())
		return rows[0]?.id ?? 0
	}

	test('the first login creates the account, and later ones find it under another name', async () => {
		await directory.enrol('ada', { cn: 'Ada Byron', employeeType: ['x', 'Staff'] })
		const first = await logIn('ADA')
		expect([first.isNew, first.viewer]).toMatchObject([true, { username: 'ada', name: 'Ada Byron', role: 'member' }])
		const again = await logIn('ada')
		expect([again.isNew, again.viewer.id]).toEqual([false, first.viewer.id])
		const { rows } = await sql`
			select provider, issuer, name, affiliation from identities where user_id = ${first.viewer.id}`.execute(db())
		expect(rows).toEqual([{ provider: 'ldap', issuer: `ldap:${baseDn}`, name: 'ada', affiliation: 'staff' }])
	})

	test.each<[string, () => string, string, string]>([
		['a wrong password', () => uid, 'wrong', 'The username or password is wrong.'],
		['nobody', () => 'nobody', memberPassword, 'The username or password is wrong.'],
		['no password', () => uid, '', 'Enter your password.'],
		['no username', () => ' ', memberPassword, 'Enter your username.'],
		['every name', () => '*', memberPassword, 'The username or password is wrong.'],
		['the beginning of a name', () => 'student*', memberPassword, 'The username or password is wrong.'],
		['a filter in the name', () => `x)(|(uid=${uid})`, memberPassword, 'The username or password is wrong.'],
		['a backslash', () => '\\2a', memberPassword, 'The username or password is wrong.'],
	])('%s is refused', async (_what, username, password, message) => {
		await expect(logIn(username(), password)).rejects.toMatchObject({ status: 422, message })
	})

	test('an empty password, which this directory would accept, is never sent', async () => {
		await expect(authenticateByLdap(siteSettings(ldapSection), { username: uid, password: '' })).rejects.toThrow(
			'username or password is wrong',
		)
	})

	test.each([2, 3])('a name that %s people have is rejected', async (people) => {
		for (let one = 0; one < people; one += 1)
			await directory.enrol(`twin${people}${one}`, { uid: [`twin${people}${one}`, `twin${people}`] })
		await expect(logIn(`twin${people}`)).rejects.toThrow('The university directory knows several people by this name')
	})

	test('a person without an address in the directory gets an error', async () => {
		await directory.enrol('bare', { mail: ' ' })
		await expect(logIn('bare')).rejects.toThrow('No email address came with this login')
	})

	test('guesses are limited like those of passwords', async () => {
		await expect(
			(async () => {
				for (let guess = 0; guess < 30; guess += 1) await logIn('guessed', 'wrong').catch(unlessWrong)
			})(),
		).rejects.toThrow(/Too many/)
		await sql`delete from attempts`.execute(db())
	})

	test('guesses for one person are limited together, however the name is spelled', async () => {
		await directory.enrol('zoe', { uid: ['zoe', 'zoe.lind', 'zoe.l'] })
		const spellings = ['zoe', 'ZOE.lind', 'zoe.l', '\uFF5Aoe', 'z\uFF4Fe', 'zo\uFF45', '\uFF5A\uFF4Fe', 'zoe.\uFF4C']
		for (const typed of spellings) {
			await sql`delete from attempts`.execute(db())
			expect((await logIn(typed)).viewer.username, typed).toBe('zoe')
		}
		await expect(
			(async () => {
				for (const typed of spellings) await logIn(typed, 'wrong').catch(unlessWrong)
			})(),
		).rejects.toThrow(/Too many/)
		// What is refused is no guess of this network either.
		await expect(logIn('zoe')).rejects.toThrow(/Too many/)
		const { rows } = await sql`select count::int from attempts order by count`.execute(db())
		expect(rows).toEqual([5, 5, 5].map((count) => ({ count })))
		await sql`delete from attempts`.execute(db())
	})

	test('guesses of strangers do not lock out a browser in which the person has logged in before', async () => {
		const { cookies } = await logIn()
		const guesses = async (has: readonly string[]) => {
			for (let guess = 0; guess < 8; guess += 1)
				await logInByLdap(form({ username: uid, password: 'wrong' }), request(has)).catch(unlessWrong)
		}
		await expect(guesses([])).rejects.toThrow(/Too many/)
		await expect(logIn()).rejects.toThrow(/Too many/)
		await expect(
			logInByLdap(form({ username: uid, password: memberPassword }), request(cookies)),
		).resolves.toBeDefined()
		// Its own guesses are limited too.
		await expect(guesses(cookies)).rejects.toThrow(/Too many/)
		await sql`delete from attempts`.execute(db())
	})

	const unlessWrong = (error: unknown) => {
		if (!(error instanceof Invalid)) throw error
	}

	test('a person who was given a former name does not get the account', async () => {
		await logIn()
		await directory.remove(uid)
		await directory.enrol(uid)
		await expect(logIn()).rejects.toThrow(
			`There is already an account with the address ${uid}@eastmere.example, and another`,
		)
	})

	test('existing people stay logged in, and others are logged out', async () => {
		const { viewer, cookies } = await logIn()
		const session = await sessionOf(viewer)
		await checkSession(session)
		expect(await isLoggedIn(cookies)).toBe(true)
		await directory.remove(uid)
		await checkSession(session)
		expect(await isLoggedIn(cookies)).toBe(true)
		// The session is not ended: the setting is off.
		checkSessionSoon(await sessionOf(viewer))
		await checkSession(await sessionOf(viewer), [])
		expect(await isLoggedIn(cookies)).toBe(true)
		await checkSession(await sessionOf(viewer))
		expect(await isLoggedIn(cookies)).toBe(false)
	})

	test('a session with a second factor is checked too', async () => {
		const { viewer } = await logIn()
		await sql`delete from sessions where user_id = ${viewer.id}`.execute(db())
		const code = await setUpApp(viewer)
		const refusal = await logIn().catch((error: unknown) => error)
		if (!(refusal instanceof SecondStepRequired)) throw refusal
		const { headers } = await submitCode(code(), refusal.cookie)
		const cookies = cookiePairs(headers)
		await checkSession(await sessionOf(viewer))
		expect(await isLoggedIn(cookies)).toBe(true)
		await directory.remove(uid)
		await checkSession(await sessionOf(viewer))
		expect(await isLoggedIn(cookies)).toBe(false)
	})

	test('the binary objectGUID of Active Directory works as a subject, also for checks', async () => {
		const guids = ['ff19966f868b11d0b42d00c04fc964ff', '2a28295c2a00410042004300440045ff']
		for (const [one, hex] of guids.entries())
			await directory.enrol(`guid${one}`, {
				objectClass: ['inetOrgPerson', 'directoryPerson'],
				objectGUID: Buffer.from(hex, 'hex'),
			})
		await save({ subjectAttribute: 'objectguid' })
		const { viewer, cookies } = await logIn('guid1')
		const { rows } = await sql`select subject from identities where user_id = ${viewer.id}`.execute(db())
		expect(rows).toEqual([{ subject: '5c29282a-002a-0041-4200-4300440045ff' }])
		expect((await logIn('guid1')).viewer.id).toBe(viewer.id)
		await checkSession(await sessionOf(viewer))
		expect(await isLoggedIn(cookies)).toBe(true)
		await directory.remove('guid1')
		await checkSession(await sessionOf(viewer))
		expect(await isLoggedIn(cookies)).toBe(false)
		await save({ subjectAttribute: 'entryUUID' })
	})

	test('features read attributes at logins and checks, with all their values', async () => {
		const seen: unknown[] = []
		const names = ['EmployeeType', 'cn', 'pager', 'realm_access.roles']
		registerIdentityUses([
			{
				name: 'reader',
				identityUse: {
					wants: () => names,
					used: async ({ provider, isLogin, values }) => void seen.push([provider, isLogin, ...names.map(values)]),
				},
			},
		])
		const groups = ['cn=Council\\, elected,ou=groups', 'cn=all']
		await directory.enrol(`many${made}`, { cn: [`many${made}`, 'Second'], employeeType: groups })
		const { viewer } = await logIn(`many${made}`)
		await checkSession(await sessionOf(viewer))
		expect(seen).toEqual([
			['ldap', true, groups, [`many${made}`], [], []],
			['ldap', false, groups, [`many${made}`, 'Second'], [], null],
		])
		registerIdentityUses([])
	})

	test('a member who asked for deletion is offered to keep the account', async () => {
		const { viewer, leadsTo } = await logIn()
		expect(leadsTo).toBeNull()
		await sql`update users set leaves_at = now() + interval '9 days' where id = ${viewer.id}`.execute(db())
		expect((await logIn()).leadsTo).toBe('/settings/leave')
	})

	test('a slow or unavailable directory causes an error, and logs nobody out', async () => {
		const { viewer, cookies } = await logIn()
		await sql`delete from attempts`.execute(db())
		const away = 'The university directory does not answer right now. Try again in a few minutes'
		directory.pause()
		const session = await sessionOf(viewer)
		const began = Date.now()
		const slow = await Promise.allSettled([logIn(), checkSession(session)])
		directory.goOn()
		expect(Date.now() - began).toBeLessThan(9_000)
		expect(slow.map((one) => one.status === 'rejected' && one.reason)).toEqual([
			expect.objectContaining({ message: expect.stringContaining(away) }),
			expect.any(ProviderUnreachable),
		])
		await directory.stop()
		await sessionOf(viewer)
		await expect(logIn()).rejects.toThrow(away)
		await expect(checkSession(session)).rejects.toThrow(ProviderUnreachable)
		expect(await isLoggedIn(cookies)).toBe(true)
		// An unavailable directory is not a guess, so the limit does not apply.
		for (let one = 0; one < 8; one += 1) await expect(logIn()).rejects.toThrow(away)
		expect((await sql`select from attempts where count > 0`.execute(db())).rows).toEqual([])
		await directory.start()
		expect((await logIn()).viewer.id).toBe(viewer.id)
	})

	test('a member links it, logs in with it, and cannot unlink the last login method', async () => {
		const { viewer, cookies } = await logIn()
		const [own] = (await listLogins(viewer)).linked
		await expect(unlinkIdentity(viewer, own?.id ?? 0, 0)).rejects.toThrow('your only way to log in')
		await directory.enrol(`other${made}`)
		const other = form({ username: `other${made}`, password: memberPassword })
		await expect(linkByLdap(other, request(cookies))).rejects.toThrow('is linked already')
		await expect(linkByLdap(other, request())).rejects.toThrow('You were logged out in the meantime')
		await sql`delete from identities where user_id = ${viewer.id}`.execute(db())
		await linkByLdap(other, request(cookies))
		expect((await logIn(`other${made}`)).viewer.id).toBe(viewer.id)
	})

	test.each<[string, Record<string, string>, string, RegExp]>([
		['a password in plain text over a network', { address: 'ldap://ldap.example', startTls: '' }, 'startTls', /plain/],
		['another kind of address', { address: 'https://ldap.example' }, 'address', /ldaps:/],
		['nobody there', { address: 'ldap://127.0.0.1:9' }, 'address', /No directory answered/],
		['a wrong bind password', { 'password-bindPassword': 'x' }, 'password-bindPassword', /does not know this bind DN/],
		['a base that is not there', { baseDn: 'ou=nowhere,dc=eastmere,dc=example' }, 'baseDn', /no such entry/],
		['a filter without a name', { userFilter: '(uid=x)' }, 'userFilter', /\{username\}/],
		['a filter that is none', { userFilter: '(uid={username}' }, 'userFilter', /not an LDAP filter/],
		['a filter that finds nobody', { userFilter: '(&(uid={username})(sn=none))' }, 'userFilter', /No entry/],
		['a subject that nobody has', { subjectAttribute: 'employeeNumber' }, 'subjectAttribute', /employeeNumber/],
		['an address that nobody has', { emailAttribute: 'pager' }, 'emailAttribute', /pager/],
		['an attribute that is a filter', { nameAttribute: 'cn)(x=*' }, 'nameAttribute', /name of an attribute/],
	])('the form refuses %s at its field', async (_what, input, field, message) => {
		const error: unknown = await save(input).catch((refusal: unknown) => refusal)
		expect(error).toBeInstanceOf(Invalid)
		expect((error as Invalid).fields).toMatchObject({ [field]: expect.stringMatching(message) })
	})

	test('an untrusted certificate is rejected, by ldaps and by StartTLS; a trusted one is not', async () => {
		await save({ address: directory.safeAddress })
		expect((await logIn()).isNew).toBe(true)
		setDefaultCACertificates(getCACertificates('bundled'))
		for (const address of [directory.safeAddress, directory.address])
			await expect(save({ address })).rejects.toThrow('does not trust the certificate of the directory')
		await expect(logIn()).rejects.toThrow('does not answer right now')
		setDefaultCACertificates([...getCACertificates('bundled'), directory.certificate])
		await save({})
	})

	test('it can be the only login once an admin has logged in with it', async () => {
		await expect(save({ onlyWay: 'on' })).rejects.toThrow(Conflict)
		const { viewer } = await logIn()
		await sql`update users set role = 'admin' where id = ${viewer.id}`.execute(db())
		await save({ onlyWay: 'on' })
		const buttons = [{ name: 'ldap', label: 'Log in with your university account' }]
		expect(loginMethods()).toEqual({ buttons, hasPasswords: false })
		await save({})
	})
})
