import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { listLogins } from '~/features/campus-login/linked-logins.server.ts'
import { Conflict, Invalid, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiePairs } from '../../../tests/support/browser.ts'
import { enrolVisitor, logInAtCampus, offerCampus, startOwnCampus } from '../../../tests/support/campus-visits.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, resetCounts, useJobTables } from '../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { requestOf, saveSettings, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import type { CampusSite } from '../../../tests/support/oidc-site.ts'
import { setUpApp, submitCode } from '../../../tests/support/second-factor.ts'
import {
	activateLoginLink,
	findLinking,
	followLoginLink,
	LinkRequired,
	linkingPageFor,
	mailLoginLink,
} from './account-linking.server.ts'

useDatabase()
useJobTables()

let campus: CampusSite
let admin: SignedIn
let member: SignedIn
let made = 0

beforeAll(async () => {
	campus = await startOwnCampus()
	admin = await makeMember('admin', 'admin')
	await save({})
})

afterAll(() => campus.stop())

beforeEach(async () => {
	await resetCounts()
	made += 1
	member = await makeMember(`member${made}`)
	await sql`update users set email_verified = true where id = ${member.id}`.execute(db())
	enrol(`sub-${made}`)
})

const emailOf = ({ username }: SignedIn) => `${username}@campus.example`

/** Adds an account with the member's address at the campus, and logs its owner in there. */
function enrol(sub: string, claims: object = {}): void {
	const email = emailOf(member)
	enrolVisitor(campus, { sub, email, email_verified: true, preferred_username: `at-${sub}`, ...claims })
}

const save = (input: Record<string, string>) => offerCampus(admin, campus, { roleClaim: 'role', ...input })
const logIn = () => logInAtCampus(campus)

/** A login whose address has an account. @returns the request of its browser */
async function unlinkedLogin(): Promise<Request> {
	const refusal = await logIn().catch((error: unknown) => error)
	if (!(refusal instanceof LinkRequired)) throw refusal
	return requestOf('/login/link', [refusal.cookie.split(';')[0] ?? ''])
}

/** Has a link mailed. @returns its token */
async function mailedTo(email: string, browser: Request): Promise<string> {
	await mailLoginLink(browser, '/forum?q=a')
	const mail = (await queuedMails(email)).findLast(({ subject }) => subject.startsWith('Link your login'))
	return /token=([\w-]+)&redirectTo=%2Fforum%3Fq%3Da/.exec(mail?.text ?? '')?.[1] ?? ''
}

const identitiesOf = async ({ id }: SignedIn) =>
	(await sql<{ subject: string }>`select subject from identities where user_id = ${id}`.execute(db())).rows.map(
		({ subject }) => subject,
	)

const stateOf = async (token: string, browser: Request) => (await findLinking(token, browser)).state

test('a login that is linked by mail gives the role of its group and the data of the university, as any login', async () => {
	await saveSettings(admin, 'group-roles', { claim: 'role', moderatorGroups: 'council', adminGroups: '' })
	await saveSettings(admin, 'campus-fields', { cohortClaim: 'preferred_username' })
	enrol(`sub-${made}`, { role: ['council'] })
	const browser = await unlinkedLogin()
	const token = await mailedTo(emailOf(member), browser)
	await activateLoginLink(token)
	await followLoginLink(token, browser)
	const { rows } = await sql`select role, cohort from users where id = ${member.id}`.execute(db())
	expect(rows).toEqual([{ role: 'moderator', cohort: `at-sub-${made}` }])
	await saveSettings(admin, 'group-roles', { claim: '', moderatorGroups: '' })
	await saveSettings(admin, 'campus-fields', { cohortClaim: '' })
})

test('a mail to the address links the login to its account, once; both addresses of the account are told', async () => {
	await sql`update users set second_email = ${`own${made}@home.example`} where id = ${member.id}`.execute(db())
	const browser = await unlinkedLogin()
	const login = { label: 'Log in with your campus account', identityName: `at-sub-${made}`, email: emailOf(member) }
	expect(await findLinking('', browser)).toEqual({ state: 'begun', ...login, message: '' })
	const token = await mailedTo(emailOf(member), browser)
	expect(await activateLoginLink(token)).toBe(true)
	expect(await findLinking(token, browser)).toMatchObject({
		...{ state: 'open', ...login },
		account: { username: member.username, name: member.name, losesCredentials: false },
	})
	const { headers, leadsTo } = await followLoginLink(token, browser)
	expect([(await viewerWithCookies(cookiePairs(headers)))?.id, leadsTo]).toEqual([member.id, null])
	expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	for (const to of [emailOf(member), `own${made}@home.example`])
		expect((await queuedMails(to)).map(({ subject }) => subject)).toContainEqual(
			expect.stringMatching(/^You can log in with the campus login/),
		)
	// The session is checked at the campus like one that began there.
	const { rows } = await sql`
		select from provider_sessions p join sessions s on s.id = p.session_id where s.user_id = ${member.id}`.execute(db())
	expect(rows).toHaveLength(1)
	await expect(followLoginLink(token, browser)).rejects.toThrow(Invalid)
	expect([await stateOf(token, browser), await activateLoginLink(token)]).toEqual(['over', false])
	expect((await logIn()).message).toBe('Welcome back!')
})

describe('a link that does not count', () => {
	test('to the account of somebody who has left the university, as the address may be that of another person by now', async () => {
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		await sql`update users set left_campus_at = now() where id = ${member.id}`.execute(db())
		await expect(followLoginLink(token, browser)).rejects.toThrow(Conflict)
		await expect(logIn()).rejects.toThrow(/If it is yours, or somebody had this address before you, ask an admin/)
		expect(await identitiesOf(member)).toEqual([])
		await sql`update users set left_campus_at = null where id = ${member.id}`.execute(db())
		await unlinkedLogin()
	})

	test('in another browser, until it has logged in with the same identity', async () => {
		const token = await mailedTo(emailOf(member), await unlinkedLogin())
		const bare = requestOf('/login/link')
		expect(await findLinking(token, bare)).toEqual({
			...{ state: 'elsewhere', provider: 'campus' },
			label: 'Log in with your campus account',
		})
		await expect(followLoginLink(token, bare)).rejects.toThrow('Log in with the campus in this browser first.')
		expect(linkingPageFor(`/login/link?token=${token}`)).toBe(`/login/link?token=${token}`)
		const phone = await unlinkedLogin()
		await followLoginLink(token, phone)
		expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	})

	test('with another identity that has the same address', async () => {
		const token = await mailedTo(emailOf(member), await unlinkedLogin())
		enrol(`other-${made}`, { name: 'Ada Lumen' })
		const other = await unlinkedLogin()
		expect(await findLinking(token, other)).toMatchObject({
			...{ state: 'begun', email: emailOf(member), identityName: `Ada Lumen (at-other-${made})` },
			message: 'That link is for another login than yours.',
		})
		await expect(followLoginLink(token, other)).rejects.toThrow(Invalid)
		expect(await identitiesOf(member)).toEqual([])
	})

	test('after ten minutes, or replaced by a newer one; its page offers another', async () => {
		const browser = await unlinkedLogin()
		const first = await mailedTo(emailOf(member), browser)
		const second = await mailedTo(emailOf(member), browser)
		expect([await stateOf(first, browser), await activateLoginLink(first)]).toEqual(['begun', false])
		await sql`update link_requests set works_until = now()`.execute(db())
		expect(await findLinking(second, browser)).toMatchObject({ state: 'begun', message: /used or has expired/ })
		await expect(followLoginLink(second, browser)).rejects.toThrow(Invalid)
		// The time begins when the mail leaves.
		expect(await activateLoginLink(second)).toBe(true)
		expect(await stateOf(second, browser)).toBe('open')
	})

	test('half an hour after the login', async () => {
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		await sql`update link_requests set created_at = now() - interval '31 minutes'`.execute(db())
		expect(await stateOf(token, browser)).toBe('elsewhere')
		await expect(followLoginLink(token, browser)).rejects.toThrow(Invalid)
		await expect(mailLoginLink(browser, '')).rejects.toThrow('Your login was a while ago.')
	})

	test('once the account has another address, or is gone', async () => {
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		await sql`update users set email = ${`new${made}@campus.example`} where id = ${member.id}`.execute(db())
		expect(await stateOf(token, browser)).toBe('over')
		await expect(followLoginLink(token, browser)).rejects.toThrow(Invalid)
		await sql`update users set email = ${emailOf(member)} where id = ${member.id}`.execute(db())
		expect(await stateOf(token, browser)).toBe('open')
		await sql`delete from users where id = ${member.id}`.execute(db())
		expect(await stateOf(token, browser)).toBe('over')
	})

	test('the second time of two at once', async () => {
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		const hold = (trx: typeof db extends () => infer D ? D : never) =>
			sql`select from users where id = ${member.id} for update`.execute(trx)
		const follow = () => followLoginLink(token, browser)
		const both = await queuedBehind(hold, [follow, follow])
		expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
		expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	})

	test('where another login of the campus was linked meanwhile', async () => {
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		await sql`
			insert into identities (user_id, provider, issuer, subject)
			values (${member.id}, 'campus', ${campus.issuer}, ${`faster-${made}`})`.execute(db())
		await expect(followLoginLink(token, browser)).rejects.toThrow(Conflict)
		expect(await identitiesOf(member)).toEqual([`faster-${made}`])
		const { rows } = await sql`select from sessions where user_id = ${member.id}`.execute(db())
		expect(rows).toEqual([])
	})
})

describe('accounts', () => {
	test('one with a second factor is linked only after it', async () => {
		const code = await setUpApp(member)
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		const refusal = await followLoginLink(token, browser).catch((error: unknown) => error)
		if (!(refusal instanceof SecondStepRequired)) throw refusal
		expect(await identitiesOf(member)).toEqual([])
		const { notice } = await submitCode(code(), refusal.cookie)
		expect(notice).toBe('Linked. You can log in with it from now on.')
		expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	})

	test('one that is leaving is offered to stay; a suspended one is linked too', async () => {
		await sql`
			update users set leaves_at = now() + interval '3 days', suspended_until = 'infinity' where id = ${member.id}`.execute(
			db(),
		)
		const browser = await unlinkedLogin()
		const { leadsTo } = await followLoginLink(await mailedTo(emailOf(member), browser), browser)
		expect([leadsTo, await identitiesOf(member)]).toEqual(['/settings/leave', [`sub-${made}`]])
	})

	test('one whose address nobody has confirmed loses what was set up before', async () => {
		await sql`update users set email_verified = false where id = ${member.id}`.execute(db())
		await sql`
			insert into credentials (user_id, account_id, provider_id, password) values (${member.id}, 'x', 'credential', 'x')`.execute(
			db(),
		)
		await sql`
			insert into sessions (user_id, token, expires_at) values (${member.id}, ${`old-${made}`}, now() + interval '1 day')`.execute(
			db(),
		)
		const browser = await unlinkedLogin()
		const token = await mailedTo(emailOf(member), browser)
		expect(await findLinking(token, browser)).toMatchObject({ account: { losesCredentials: true } })
		const { headers } = await followLoginLink(token, browser)
		expect((await viewerWithCookies(cookiePairs(headers)))?.id).toBe(member.id)
		expect((await listLogins(member)).hasPassword).toBe(false)
		const { rows } = await sql`
			select email_verified, (select count(*)::int from sessions where user_id = users.id) as sessions
			from users where id = ${member.id}`.execute(db())
		expect(rows).toEqual([{ email_verified: true, sessions: 1 }])
	})

	test('one that nobody confirmed keeps no login of who registered it, also where passwords are off', async () => {
		await sql`
			insert into identities (user_id, provider, issuer, subject, used_at)
			values (${admin.id}, 'campus', ${campus.issuer}, ${`admin-${made}`}, now())`.execute(db())
		await save({ onlyWay: 'on' })
		enrol(`bare-${made}`, { email: undefined })
		await expect(logIn()).rejects.toThrow(/Ask who runs the login\.$/)
		campus.visitor = `sub-${made}`
		await sql`update users set email_verified = false where id = ${member.id}`.execute(db())
		await sql`
			insert into identities (user_id, provider, issuer, subject)
			values (${member.id}, 'github', 'https://github.com', ${`of-somebody-else-${made}`})`.execute(db())
		const browser = await unlinkedLogin()
		await followLoginLink(await mailedTo(emailOf(member), browser), browser)
		expect(await identitiesOf(member)).toEqual([`sub-${made}`])
		await save({ onlyWay: '' })
		await sql`delete from identities where user_id = ${admin.id}`.execute(db())
	})

	test('one that the address confirms as its second', async () => {
		await sql`
			update users set email = ${`first${made}@campus.example`}, second_email = ${emailOf(member)} where id = ${member.id}`.execute(
			db(),
		)
		const browser = await unlinkedLogin()
		await followLoginLink(await mailedTo(emailOf(member), browser), browser)
		expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	})

	test('one that a login of the campus opens already is somebody’s there; one of a former issuer is linked anew', async () => {
		await sql`
			insert into identities (user_id, provider, issuer, subject)
			values (${member.id}, 'campus', ${campus.issuer}, ${`former-${made}`})`.execute(db())
		await expect(logIn()).rejects.toThrow(/already an account .+ another account of the campus login opens it/)
		await sql`update identities set issuer = 'https://former.example' where user_id = ${member.id}`.execute(db())
		const browser = await unlinkedLogin()
		await followLoginLink(await mailedTo(emailOf(member), browser), browser)
		expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	})
})

test('where first logins create no account, existing ones can still be linked', async () => {
	await save({ registers: '' })
	const browser = await unlinkedLogin()
	await followLoginLink(await mailedTo(emailOf(member), browser), browser)
	expect(await identitiesOf(member)).toEqual([`sub-${made}`])
	await save({ registers: 'on' })
})

test('no link for an address that the campus does not vouch for', async () => {
	await save({ trustsEmail: '' })
	enrol(`sub-${made}`, { email_verified: false })
	await expect(logIn()).rejects.toThrow(Conflict)
	await save({ trustsEmail: 'on' })
})

test('of the logins of one identity that wait without a link, the newest are kept', async () => {
	const browsers: Request[] = []
	for (let count = 0; count < 12; count += 1) browsers.push(await unlinkedLogin())
	const states = await Promise.all(browsers.map((browser) => stateOf('', browser)))
	expect(states).toEqual([...Array(2).fill('over'), ...Array(10).fill('begun')])
})

test('an address gets three links an hour', async () => {
	const browser = await unlinkedLogin()
	for (const _ of [1, 2, 3]) await mailLoginLink(browser, '')
	await expect(mailLoginLink(browser, '')).rejects.toThrow(TooManyRequests)
})
