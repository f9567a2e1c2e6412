import { once } from 'node:events'
import { createServer } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { logInAs, logOut, SecondStepRequired } from '~/features/accounts/login.server.ts'
import { findLoginElsewhere } from '~/features/accounts/login-methods.server.ts'
import { action as logOutByForm } from '~/features/login/routes/logout.ts'
import { getRoutingChoice, readFeed } from '~/features/routing/answerable.server.ts'
import { authenticateToken, makeToken } from '~/features/tokens/tokens.server.ts'
import { NotFound } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { encryptSecret } from '~/platform/encryption.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiePairs } from '../../../tests/support/browser.ts'
import {
	enrolVisitor,
	logInAtCampus,
	offerCampus,
	startOwnCampus,
	studentAccount,
} from '../../../tests/support/campus-visits.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { requestOf, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import type { CampusSite } from '../../../tests/support/oidc-site.ts'
import { setUpApp, submitCode } from '../../../tests/support/second-factor.ts'
import { registerIdentityUses, type UsedIdentity } from './claims.server.ts'
import { refreshPurpose } from './identities.server.ts'
import { unlinkIdentity } from './linked-logins.server.ts'
import { checkSession } from './session-checks.server.ts'

useDatabase()

let campus: CampusSite
let admin: SignedIn
let made = 0

beforeAll(async () => {
	campus = await startOwnCampus()
	admin = await makeMember('admin', 'admin')
	await save({ endsSessions: '' })
})

afterAll(() => campus.stop())

beforeEach(() => {
	made += 1
	enrolVisitor(campus, studentAccount(made))
})

const save = (input: Record<string, string>) => offerCampus(admin, campus, input)

/** Logs in at the campus with a browser of its own. @returns its cookies */
async function logIn(): Promise<string[]> {
	return cookiePairs((await logInAtCampus(campus)).headers)
}

/** Sessions of a member that began at the campus, in their order, which are due for a check. */
async function dueSessions({ id }: SignedIn): Promise<number[]> {
	const { rows } = await sql<{ session_id: number }>`
		update provider_sessions set checked_at = now() - interval '1 day' from sessions
		where sessions.id = session_id and user_id = ${id} returning session_id`.execute(db())
	return rows.map(({ session_id }) => session_id).sort((one, other) => one - other)
}

async function enter(): Promise<{ cookies: string[]; member: SignedIn }> {
	const cookies = await logIn()
	return { cookies, member: (await viewerWithCookies(cookies)) as SignedIn }
}

async function newToken(member: SignedIn): Promise<() => Promise<boolean>> {
	const { token } = await makeToken(member, { name: 'a program', scopes: ['read'], days: 30 })
	return async () => (await authenticateToken(token)) !== null
}

async function feedOf(member: SignedIn): Promise<() => Promise<boolean>> {
	const key = new URL((await getRoutingChoice(member)).feed, config().publicUrl).searchParams.get('key') ?? ''
	return () =>
		readFeed(key).then(
			() => true,
			() => false,
		)
}

const has = (table: string, { id }: SignedIn) =>
	sql`select from ${sql.table(table)} where user_id = ${id}`.execute(db()).then(({ rows }) => rows.length > 0)

/** Ways in: each opens one, and returns whether it still works. */
const ways: Record<string, (member: SignedIn, session: number) => Promise<() => Promise<boolean>>> = {
	'a session that began at the campus in another browser': async () => {
		const cookies = await logIn()
		return async () => (await viewerWithCookies(cookies)) !== null
	},
	'a session that began with a password or a passkey': async ({ id }) => {
		const cookies = cookiePairs(await logInAs(id, requestOf('/login'), null))
		return async () => (await viewerWithCookies(cookies)) !== null
	},
	'an access token': newToken,
	'the private address of a feed': feedOf,
	'a browser with pushes': async (member, session) => {
		await sql`insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
			values (${member.id}, ${session}, ${`https://push.example/${member.id}`}, 'key', 'auth')`.execute(db())
		return () => has('push_subscriptions', member)
	},
	'an open tab': async (member, session) => {
		await sql`insert into connections (id, user_id, session_id) values (gen_random_uuid(), ${member.id}, ${session})`.execute(
			db(),
		)
		return () => has('connections', member)
	},
	'a login that waits for its code': async (member) => {
		const code = await setUpApp(member)
		const refusal = await logIn().catch((error: unknown) => error)
		if (!(refusal instanceof SecondStepRequired)) throw refusal
		return async () => {
			if (!(await has('login_challenges', member))) return false
			return campus.accounts.has(campus.visitor) || (await submitCode(code(), refusal.cookie)) !== null
		}
	},
}

test.each(Object.entries(ways))('%s ends with the account at the campus', async (_, open) => {
	const { cookies, member } = await enter()
	const [first = 0] = await dueSessions(member)
	const works = await open(member, first)
	await dueSessions(member)
	await checkSession(first)
	expect([await works(), (await viewerWithCookies(cookies))?.id]).toEqual([true, member.id])
	campus.accounts.delete(campus.visitor)
	await dueSessions(member)
	await checkSession(first)
	expect([await works(), await viewerWithCookies(cookies)]).toEqual([false, null])
})

test('tokens and feeds work again once the member has logged in again', async () => {
	const { member } = await enter()
	const works = [await newToken(member), await feedOf(member)]
	const [first = 0] = await dueSessions(member)
	const account = campus.accounts.get(campus.visitor)
	campus.accounts.delete(campus.visitor)
	await checkSession(first)
	expect(await Promise.all(works.map((one) => one()))).toEqual([false, false])
	if (account) campus.accounts.set(campus.visitor, account)
	await logIn()
	expect(await Promise.all(works.map((one) => one()))).toEqual([true, true])
})

test('a session that was asked about by a clock that was wrong then is asked about again', async () => {
	const { cookies, member } = await enter()
	const [first = 0] = await dueSessions(member)
	await sql`update provider_sessions set checked_at = now() + interval '1 year' where session_id = ${first}`.execute(
		db(),
	)
	campus.accounts.delete(campus.visitor)
	await checkSession(first)
	expect(await viewerWithCookies(cookies)).toBeNull()
})

test.each([Number.NaN, 1.5, 2 ** 31, -1])('a login %s that nobody has cannot be removed', async (id) => {
	await expect(unlinkIdentity(admin, id, 0)).rejects.toThrow(NotFound)
})

test('a refresh token that expired in one browser ends that session alone, as another one shows that the member is there', async () => {
	const { cookies, member } = await enter()
	const other = await logIn()
	const works = await newToken(member)
	const [first = 0] = await dueSessions(member)
	const expired = encryptSecret(refreshPurpose(first), 'expired')
	await sql`update provider_sessions set refresh_token = ${expired} where session_id = ${first}`.execute(db())
	await checkSession(first)
	expect([await viewerWithCookies(cookies), (await viewerWithCookies(other))?.id, await works()]).toEqual([
		null,
		member.id,
		true,
	])
})

test.each([
	['a token', newToken],
	['a feed', feedOf],
])('the use of %s alone has the campus asked', async (_, open) => {
	const { member } = await enter()
	const works = await open(member)
	await dueSessions(member)
	campus.accounts.delete(campus.visitor)
	await save({ endsSessions: 'on' })
	expect(await works()).toBe(true)
	await eventually(async () => expect(await works()).toBe(false))
	await save({ endsSessions: '' })
})

test('who has lost the claim that members must have loses access at the next check, which tells of it', async () => {
	const account = { sub: campus.visitor, preferred_username: campus.visitor, email: 'claim@eastmere.example' }
	const isIn = (role?: string) => campus.accounts.set(campus.visitor, { ...account, ...(role && { role }) })
	isIn('student')
	await save({ requiredClaim: 'role', requiredValue: 'Student' })
	const { cookies, member } = await enter()
	const afterCheck = async () => {
		const [session = 0] = await dueSessions(member)
		await checkSession(session)
		return (await viewerWithCookies(cookies))?.id
	}
	expect(await afterCheck()).toBe(member.id)
	isIn()
	expect(await afterCheck()).toBe(member.id)
	isIn('visitor')
	await save({ requiredClaim: '', requiredValue: '' })
	expect(await afterCheck()).toBe(member.id)
	await save({ requiredClaim: 'role', requiredValue: 'Student' })
	expect(await afterCheck()).toBeUndefined()
	await save({ requiredClaim: '', requiredValue: '' })
})

test('features read claims at each login and each check; an error of theirs, or of the provider, ends nothing', async () => {
	const seen: [UsedIdentity, readonly (string | null)[][]][] = []
	const used = async (use: UsedIdentity) => {
		const read = ['role', 'groups', 'none'].map((name) => [...(use.values(name) ?? [null])])
		seen.push([use, read])
		throw new Error('A feature fails.')
	}
	registerIdentityUses([{ name: 'reader', identityUse: { wants: () => ['role'], used } }])
	const account = { sub: campus.visitor, preferred_username: campus.visitor, email: 'reader@eastmere.example' }
	campus.accounts.set(campus.visitor, { ...account, role: [' council ', '', 'cn=a,ou=b'] })
	const { cookies, member } = await enter()
	const [session = 0] = await dueSessions(member)
	campus.accounts.set(campus.visitor, account)
	campus.forge = (claims) => Object.assign(claims, { _claim_names: { groups: 'src1' } })
	await checkSession(session)
	campus.forge = null
	expect(seen).toMatchObject([
		[{ userId: member.id, provider: 'campus', isLogin: true }, [['council', 'cn=a,ou=b'], [], []]],
		[{ userId: member.id, provider: 'campus', isLogin: false }, [[null], [null], [null]]],
	])
	expect((await viewerWithCookies(cookies))?.id).toBe(member.id)
	registerIdentityUses([])
})

test('a logout tells that the browser stays logged in at the campus, and where that ends', async () => {
	const request = requestOf('/', await logIn())
	expect((await logOut(request)).outlivedBy).toBe('campus')
	expect((await logOut(request)).outlivedBy).toBeNull()
	const url = `${campus.issuer}/session/end`
	expect(await findLoginElsewhere('campus')).toEqual({ site: 'your university', url })
	for (const name of ['', 'ldap', 'elsewhere']) expect(await findLoginElsewhere(name)).toBeNull()

	const body = new URLSearchParams({ redirectTo: '/forum' })
	const sent = new Request(requestOf('/logout', await logIn()), { method: 'POST', body })
	const { headers } = (await logOutByForm({ request: sent } as never)) as Response
	expect(headers.get('Location')).toBe('/login?redirectTo=%2Fforum&elsewhere=campus')
})

test('a logout does not speak of a directory, where no browser is logged in', async () => {
	const cookies = await logIn()
	await sql`update identities set provider = 'ldap' where subject = ${campus.visitor}`.execute(db())
	expect((await logOut(requestOf('/', cookies))).outlivedBy).toBeNull()
})

test('the login page waits two seconds for a campus that does not answer', async () => {
	await campus.stop()
	const { port } = new URL(campus.issuer)
	let hasAsked = false
	const silent = createServer(() => {
		hasAsked = true
	})
	try {
		await once(silent.listen(Number(port), '127.0.0.1'), 'listening')
		// As after an hour.
		remember('oidc-providers', () => new Map()).clear()
		// The first request may fail at once, on a connection that the campus had kept open.
		await expect
			.poll(async () => [await findLoginElsewhere('campus'), hasAsked])
			.toEqual([{ site: 'your university', url: null }, true])
	} finally {
		silent.closeAllConnections()
		await new Promise((resolve) => silent.close(resolve))
		await campus.start()
	}
})
