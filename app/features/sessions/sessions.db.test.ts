import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { getAccount, registerMember } from '~/features/accounts/accounts.server.ts'
import { authHandler } from '~/features/accounts/auth-handler.server.ts'
import { logIn, logOut } from '~/features/accounts/login.server.ts'
import { requestPasswordReset, resetPassword } from '~/features/accounts/security/change-password.server.ts'
import { requireSession, viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { NotAllowed, NotFound, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { cookiesOf, form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { resetCounts, sentMails } from '../../../tests/support/jobs.ts'
import { listSessions, revokeOtherSessions, revokeSession } from './sessions.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	await resetCounts()
})

const password = 'a lantern at the ford'

function request(cookie = '', agent = ''): Request {
	return new Request('http://localhost:3000/', {
		headers: { 'x-client-ip': '2001:db8::7', Cookie: cookie, 'User-Agent': agent },
	})
}

/** A request to Better Auth's interface for programs. */
function call(cookie: string, path: string, body?: object): Request {
	const headers = { 'x-client-ip': '2001:db8::7', Cookie: cookie }
	if (!body) return new Request(`http://localhost:3000${path}`, { headers })
	return new Request(`http://localhost:3000${path}`, {
		method: 'POST',
		headers: { ...headers, Origin: 'http://localhost:3000', 'Content-Type': 'application/json' },
		body: JSON.stringify(body),
	})
}

async function enter(email: string, agent = '', secret = password): Promise<string> {
	return cookiesOf(await logIn(form({ email, password: secret }), request('', agent)))
}

async function member(name: string): Promise<{ email: string; viewer: SignedIn; cookie: string }> {
	const email = `${name}@eastmere.example`
	await registerMember(form({ name, email, password, confirmPassword: password }), request())
	const cookie = await enter(email, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
	const { viewer } = await viewerFromRequest(request(cookie))
	if (!viewer) throw new Error('not logged in')
	return { email, viewer, cookie }
}

const viewerOf = async (cookie: string, fresh = true) => (await viewerFromRequest(request(cookie), { fresh })).viewer

/** The tokens of the links that were mailed to a member, oldest first. */
async function tokens(email: string): Promise<string[]> {
	return (await sentMails(email)).flatMap(({ text }) => /reset-password\?token=(\S+)/.exec(text)?.[1] ?? [])
}

test('a member sees where they are logged in, and which session is this one', async () => {
	const { email, viewer, cookie } = await member('ada')
	await enter(email, 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1')
	const sessions = await listSessions(viewer, await requireSession(viewer, request(cookie)))
	expect(sessions.map(({ device, current }) => [device, current])).toEqual([
		['Safari on iOS', false],
		['Firefox on Linux', true],
	])
	expect(sessions.map(({ address }) => address)).toEqual(['2001:db8::/64', '2001:db8::/64'])
	expect(await getAccount(viewer)).toMatchObject({ email, emailVerified: false })
})

test('a member can end one session, or all but this one', async () => {
	const { email, viewer, cookie } = await member('bea')
	const others = [await enter(email), await enter(email)]
	const other = (await listSessions(viewer, await requireSession(viewer, request(cookie)))).find(
		({ current }) => !current,
	)
	await revokeSession(viewer, Number(other?.id))
	expect(await listSessions(viewer, await requireSession(viewer, request(cookie)))).toHaveLength(2)
	await revokeOtherSessions(viewer, await requireSession(viewer, request(cookie)))
	for (const each of others) expect(await viewerOf(each)).toBeNull()
	expect(await viewerOf(cookie)).toMatchObject({ username: 'bea' })
})

test.each([0, -1, 1.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])('the session %s is not there', async (id) => {
	await expect(revokeSession({ id: 1 } as SignedIn, id)).rejects.toThrow(NotFound)
})

test('members cannot end sessions of others', async () => {
	const [victim, other] = [await member('cleo'), await member('dina')]
	const [session] = await listSessions(victim.viewer, await requireSession(victim.viewer, request(victim.cookie)))
	await expect(revokeSession(other.viewer, Number(session?.id))).rejects.toThrow(NotFound)
	expect(await viewerOf(victim.cookie)).not.toBeNull()
})

test('a session that was ended elsewhere sees nothing: a process without notifications queries the database', async () => {
	const { viewer, cookie } = await member('elin')
	await sql`delete from sessions where user_id = ${viewer.id}`.execute(db())
	expect(await viewerOf(cookie, false)).toBeNull()
	await expect(requireSession(viewer, request(cookie))).rejects.toThrow(NotAllowed)
})

test.each([
	['navigate', true],
	['cors', false],
	['no-cors', false],
])('a request of the mode %s whose session has ended clears the cookies: %s', async (mode, isTaken) => {
	const { viewer, cookie } = await member(`ines-${mode}`)
	await revokeOtherSessions(viewer, 0)
	const headers = { Cookie: cookie, 'Sec-Fetch-Mode': mode }
	const answer = await viewerFromRequest(new Request('http://localhost:3000/forum', { headers }))
	expect(answer.viewer).toBeNull()
	expect(answer.headers.getSetCookie().some((each) => /^session=;.*Max-Age=0/.test(each))).toBe(isTaken)
})

test('logging out ends the session and clears its cookies', async () => {
	const { cookie } = await member('fern')
	const cookies = (await logOut(request(cookie))).headers.getSetCookie()
	expect(cookies.some((each) => /^session=;.*Max-Age=0/.test(each))).toBe(true)
	expect(cookies.some((each) => /^session_data=;.*Max-Age=0/.test(each))).toBe(true)
	expect(await viewerOf(cookie)).toBeNull()
	await expect(logOut(request())).resolves.toBeDefined()
})

test.each(['session=forged.forged', 'session=', 'session_data=e30', 'session=%00; session_data=%%%'])(
	'the cookie %s is nobody’s',
	async (cookie) => {
		expect(await viewerOf(cookie, false)).toBeNull()
	},
)

test('only the newest link resets, and logs in a member who was delayed by failed attempts', async () => {
	const { email } = await member('gwen')
	for (let attempt = 0; attempt < 6; attempt += 1) await enter(email, '', 'wrong password').catch(() => {})
	await expect(enter(email)).rejects.toThrow(TooManyRequests)
	await requestPasswordReset(form({ email }), request())
	await requestPasswordReset(form({ email }), request())
	const [older = '', newer = ''] = await tokens(email)
	const next = 'another lantern'
	await expect(resetPassword(form({ token: older, password: next, confirmPassword: next }), request())).rejects.toThrow(
		/has been used or has expired/,
	)
	await resetPassword(form({ token: newer, password: next, confirmPassword: next }), request())
	await expect(enter(email, '', next)).resolves.toContain('session=')
	await expect(resetPassword(form({ token: newer, password, confirmPassword: password }), request())).rejects.toThrow(
		/has been used or has expired/,
	)
})

test('a link still works after a weak password was refused', async () => {
	const { email } = await member('hope')
	await requestPasswordReset(form({ email }), request())
	const [token = ''] = await tokens(email)
	await expect(
		resetPassword(form({ token, password: 'password1', confirmPassword: 'password1' }), request()),
	).rejects.toMatchObject({
		fields: { password: expect.stringContaining('too common') },
	})
	await expect(
		resetPassword(form({ token, password: 'a better one', confirmPassword: 'a better one' }), request()),
	).resolves.toMatchObject({ hasRemoved: false })
})

test('the table of links cannot be used to reset anything', async () => {
	const { email, viewer } = await member('iris')
	await requestPasswordReset(form({ email }), request())
	const [token = ''] = await tokens(email)
	const { rows } = await sql<{
		identifier: string
	}>`select identifier from verifications where value = ${String(viewer.id)}`.execute(db())
	expect(rows).toHaveLength(1)
	expect(rows[0]?.identifier).not.toContain(token)
})

test('no link is created for an imported author', async () => {
	await db()
		.insertInto('users')
		.values({ username: 'stranger', name: 'X', email: 'stranger@import.invalid', image: null, imported: true })
		.execute()
	await requestPasswordReset(form({ email: 'stranger@import.invalid' }), request())
	const { rows } =
		await sql`select 1 from verifications join users on users.id::text = verifications.value where users.imported`.execute(
			db(),
		)
	expect(rows).toEqual([])
})

describe('scripts cannot read tokens', () => {
	test('that could be guessed: each has 190 bits or more', async () => {
		const { rows } = await sql<{ token: string }>`select token from sessions where token not like 'token %'`.execute(
			db(),
		)
		expect(rows.length).toBeGreaterThan(5)
		expect(new Set(rows.map(({ token }) => token)).size).toBe(rows.length)
		for (const { token } of rows) expect(token).toMatch(/^[A-Za-z0-9]{32}$/)
	})

	test('in the body of any response of Better Auth', async () => {
		const { email, cookie } = await member('kira')
		const calls: [string, Request][] = [
			['sign-in', call('', '/api/auth/sign-in/email', { email, password })],
			['get-session', call(cookie, '/api/auth/get-session')],
			['fresh', call(cookie, '/api/auth/get-session?disableCookieCache=true')],
			['sign-up', call('', '/api/auth/sign-up/email', { name: 'Lea', email: 'lea@eastmere.example', password })],
			['forgotten', call('', '/api/auth/request-password-reset', { email })],
			['sign-out', call(cookie, '/api/auth/sign-out', {})],
		]
		const { rows } = await sql<{ token: string }>`select token from sessions`.execute(db())
		for (const [what, call] of calls) {
			const answer = await authHandler(call)
			const text = await answer.text()
			expect([what, answer.status]).toEqual([what, 200])
			expect(text).not.toContain('token')
			for (const { token } of rows) expect(text).not.toContain(token)
			for (const line of answer.headers.getSetCookie()) expect(line).toContain('HttpOnly')
		}
	})

	test('and a program that logs in continues with the cookie', async () => {
		const { email } = await member('mona')
		const answer = await authHandler(call('', '/api/auth/sign-in/email', { email, password }))
		const session = await (await authHandler(call(cookiesOf(answer.headers), '/api/auth/get-session'))).json()
		expect(session).toMatchObject({ user: { email }, session: { userId: expect.any(String) } })
	})
})
