import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { RouterContextProvider } from 'react-router'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { logInAs, SecondStepRequired } from '~/features/accounts/login.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { listSecurityEvents } from '~/features/sessions/security-log.server.ts'
import { authenticateToken, makeToken } from '~/features/tokens/tokens.server.ts'
import { factsContext, type RequestFacts } from '~/lib/context.ts'
import { TooManyRequests } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { runInRequestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
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
import { requestOf, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import type { CampusSite } from '../../../tests/support/oidc-site.ts'
import { setUpApp, submitCode } from '../../../tests/support/second-factor.ts'
import { receiveLogoutToken } from './campus-logout.server.ts'
import { action } from './routes/backchannel-logout.ts'

useDatabase()

let campus: CampusSite
let admin: SignedIn
let made = 0

beforeAll(async () => {
	campus = await startOwnCampus()
	admin = await makeMember('admin', 'admin')
	await offerCampus(admin, campus, { endsSessions: '' })
})

afterAll(() => campus.stop())

beforeEach(() => {
	made += 1
	enrolVisitor(campus, studentAccount(made))
})

/** Logs in at the campus with a browser of its own. @returns its cookies */
async function logIn(): Promise<string[]> {
	return cookiePairs((await logInAtCampus(campus)).headers)
}

/** A member with a session that began at the campus, and its id there. */
async function enter(): Promise<{ cookies: string[]; member: SignedIn; sid: string }> {
	const cookies = await logIn()
	const member = (await viewerWithCookies(cookies)) as SignedIn
	return { cookies, member, sid: (await sidsOf(member)).at(-1) ?? '' }
}

async function sidsOf({ id }: SignedIn): Promise<(string | null)[]> {
	const { rows } = await sql<{ sid: string | null }>`
		select sid from provider_sessions join sessions on sessions.id = session_id where user_id = ${id} order by session_id`.execute(
		db(),
	)
	return rows.map(({ sid }) => sid)
}

const isLoggedIn = async (cookies: string[]) => (await viewerWithCookies(cookies)) !== null

const refusal = { message: 'This is not a valid logout token.', status: 400 }

test('a logout ends the session that it names; other browsers, other ways in and tokens go on', async () => {
	const { cookies, member, sid } = await enter()
	const atCampus = await logIn()
	const byPassword = cookiePairs(await logInAs(member.id, requestOf('/login'), null))
	const { token } = await makeToken(member, { name: 'a program', scopes: ['read'], days: 30 })
	await sql`insert into connections (id, user_id, session_id)
		select gen_random_uuid(), user_id, id from sessions where user_id = ${member.id}`.execute(db())
	const sent = await campus.logoutToken(campus.visitor, sid)
	await runInRequestScope('of the campus', 'Apache-HttpClient/4.5', () => receiveLogoutToken(sent, ''))
	expect(await Promise.all([cookies, atCampus, byPassword].map(isLoggedIn))).toEqual([false, true, true])
	expect(await authenticateToken(token)).not.toBeNull()
	const { rows } = await sql`select from connections where user_id = ${member.id}`.execute(db())
	expect(rows).toHaveLength(2)
	const text = 'Logged out, as the login at the university ended'
	expect((await listSecurityEvents(member))[0]).toMatchObject({ text, device: '' })
})

test('a logout without a session ends all of the member that began at the campus, and nobody else’s', async () => {
	const stranger = await enter()
	made += 1
	enrolVisitor(campus, studentAccount(made))
	const { cookies, member, sid } = await enter()
	const sessions = [cookies, await logIn(), cookiePairs(await logInAs(member.id, requestOf('/login'), null))]
	const token = await campus.logoutToken(campus.visitor, sid, (claims) => delete claims.sid)
	await receiveLogoutToken(token, '')
	expect(await Promise.all([...sessions, stranger.cookies].map(isLoggedIn))).toEqual([false, false, true, true])
})

test('a session whose id at the campus is unknown ends with any logout of its member', async () => {
	const { cookies, member } = await enter()
	await sql`update provider_sessions set sid = null from sessions where id = session_id and user_id = ${member.id}`.execute(
		db(),
	)
	const anybody = await campus.logoutToken(campus.visitor, 'another', (claims) => delete claims.sub)
	await receiveLogoutToken(anybody, '')
	expect(await isLoggedIn(cookies)).toBe(true)
	await receiveLogoutToken(await campus.logoutToken(campus.visitor, 'another'), '')
	expect(await isLoggedIn(cookies)).toBe(false)
})

test('a logout that names a session alone ends it; one of somebody without a session is accepted', async () => {
	const { cookies, sid } = await enter()
	const token = () => campus.logoutToken(campus.visitor, sid, (claims) => delete claims.sub)
	await receiveLogoutToken(await token(), '')
	expect(await isLoggedIn(cookies)).toBe(false)
	await receiveLogoutToken(await token(), '')
})

test('a session that began after a code ends, too', async () => {
	const { member } = await enter()
	const code = await setUpApp(member)
	const waiting = await logIn().catch((error: unknown) => error)
	if (!(waiting instanceof SecondStepRequired)) throw waiting
	const headers = await submitCode(code(), waiting.cookie)
	if (!headers) throw new Error('The code was refused.')
	const sids = await sidsOf(member)
	expect(sids).toHaveLength(2)
	await receiveLogoutToken(await campus.logoutToken(campus.visitor, String(sids[1])), '')
	expect(await sidsOf(member)).toEqual([sids[0]])
})

type Claims = Record<string, unknown>
const event = 'http://schemas.openid.net/event/backchannel-logout'
const now = () => Math.floor(Date.now() / 1_000)
/** The token, signed with a key that is not the provider's, or not at all. */
function signedBy(token: string, header: Claims, sign: (text: string) => string): string {
	const text = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${token.split('.')[1]}`
	return `${text}.${sign(text)}`
}

const forgeries: [string, (claims: Claims, header: Claims) => void][] = [
	['of another issuer', (claims) => Object.assign(claims, { iss: 'https://evil.example' })],
	['for another site', (claims) => Object.assign(claims, { aud: 'another' })],
	['without an audience', (claims) => delete claims.aud],
	['of ten minutes ago', (claims) => Object.assign(claims, { iat: now() - 600 })],
	['of the future', (claims) => Object.assign(claims, { iat: now() + 600 })],
	['without a time', (claims) => delete claims.iat],
	['that has expired', (claims) => Object.assign(claims, { iat: now() - 180, exp: now() - 90 })],
	['without an id', (claims) => delete claims.jti],
	['with a number as its id', (claims) => Object.assign(claims, { jti: 1 })],
	['without an event', (claims) => delete claims.events],
	['with another event', (claims) => Object.assign(claims, { events: { 'urn:other': {} } })],
	['with a list of events', (claims) => Object.assign(claims, { events: [event] })],
	['with an event that is no object', (claims) => Object.assign(claims, { events: { [event]: true } })],
	['with a nonce', (claims) => Object.assign(claims, { nonce: null })],
	['of nobody', (claims) => Object.assign(claims, { sub: undefined, sid: undefined })],
	['with an empty session', (claims) => Object.assign(claims, { sid: '' })],
	['with a list of members', (claims) => Object.assign(claims, { sub: [claims.sub] })],
	['of another type', (_claims, header) => Object.assign(header, { typ: 'at+jwt' })],
	['with an unknown critical header', (_claims, header) => Object.assign(header, { crit: ['x'.repeat(300_000)] })],
	['of another algorithm', (_claims, header) => Object.assign(header, { alg: 'RS512' })],
	['with an unknown key', (_claims, header) => Object.assign(header, { kid: 'another' })],
]

test('tokens that are refused end nothing, and all get the same answer', async () => {
	const { cookies, sid } = await enter()
	const real = () => campus.logoutToken(campus.visitor, sid)
	const tokens: [string, string][] = [
		['nothing', ''],
		['no token', 'a.b.c'],
		['an unsigned one', signedBy(await real(), { alg: 'none' }, () => '')],
		[
			'one signed with the client secret',
			signedBy(await real(), { alg: 'HS256' }, (text) =>
				createHmac('sha256', campus.clientSecret).update(text).digest('base64url'),
			),
		],
		['one with another signature', (await real()).replace(/\.[^.]+$/, `.${'A'.repeat(342)}`)],
		['an ID token', await lastIdToken()],
	]
	for (const [what, forge] of forgeries) tokens.push([what, await campus.logoutToken(campus.visitor, sid, forge)])
	const logged = vi.spyOn(log, 'info')
	for (const [what, token] of tokens) {
		await expect(receiveLogoutToken(token, ''), what).rejects.toMatchObject(refusal)
		expect(await isLoggedIn(cookies), what).toBe(true)
	}
	const reasons = logged.mock.calls.flatMap(([fields]) => (fields as { reason?: string }).reason ?? [])
	logged.mockRestore()
	expect(reasons).toHaveLength(tokens.length)
	expect(reasons.filter((reason) => reason.length > 200)).toEqual([])
	expect(reasons).toContain('a logout token: ERR_JWT_CLAIM_VALIDATION_FAILED aud')
	expect(reasons).toContain('a logout token: sent a token with a wrong jti.')
})

/** An ID token of the campus for this site, of a login. */
async function lastIdToken(): Promise<string> {
	let seen: [Claims, Claims] | undefined
	campus.forge = (claims, header) => {
		seen = [{ ...claims }, { ...header }]
	}
	await logIn()
	campus.forge = null
	const [claims, header] = seen ?? [{}, {}]
	expect(claims.nonce).toEqual(expect.any(String))
	return campus.logoutToken(campus.visitor, '', (token, ofToken) => {
		for (const one of [token, ofToken]) for (const name of Object.keys(one)) delete one[name]
		Object.assign(token, claims)
		Object.assign(ofToken, header)
	})
}

test.each([
	['plain', 'JWT'],
	['no', undefined],
])('a token of %s type, and without an end, is accepted', async (_what, typ) => {
	const { cookies, sid } = await enter()
	const token = await campus.logoutToken(campus.visitor, sid, (claims, header) => {
		delete claims.exp
		Object.assign(header, { typ })
	})
	await receiveLogoutToken(token, '')
	expect(await isLoggedIn(cookies)).toBe(false)
})

test('a token counts once: whoever has logged in again stays', async () => {
	const { sid } = await enter()
	const token = await campus.logoutToken(campus.visitor, sid, (claims) => delete claims.sid)
	const both = await Promise.allSettled([receiveLogoutToken(token, ''), receiveLogoutToken(token, '')])
	expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	const again = await logIn()
	await expect(receiveLogoutToken(token, '')).rejects.toMatchObject(refusal)
	expect(await isLoggedIn(again)).toBe(true)
})

test('the address answers 200 or 400, which nothing may store', async () => {
	const { sid } = await enter()
	const token = await campus.logoutToken(campus.visitor, sid)
	const answers = []
	for (const body of [new URLSearchParams({ logout_token: token }), new URLSearchParams(), token, new FormData()]) {
		const request = new Request(`${config().publicUrl}/login/campus/backchannel-logout`, { method: 'POST', body })
		const context = new RouterContextProvider()
		context.set(factsContext, { ip: '' } as RequestFacts)
		const { status, headers } = await action({ request, context } as never)
		answers.push([status, headers.get('Cache-Control')])
	}
	expect(answers).toEqual([200, 400, 400, 400].map((status) => [status, 'private, no-store']))
})

test('one address sends 600 refused tokens a minute, and as many valid ones as there are', async () => {
	const { cookies, sid } = await enter()
	for (let sent = 0; sent < 600; sent += 1) await countUse('logoutTokens', null, '198.51.100.7')
	await expect(receiveLogoutToken('a.b.c', '198.51.100.7')).rejects.toThrow(TooManyRequests)
	await receiveLogoutToken(await campus.logoutToken(campus.visitor, sid), '198.51.100.7')
	expect(await isLoggedIn(cookies)).toBe(false)
})

test('where the campus login is off, or its keys cannot be fetched, no token counts', async () => {
	const { cookies, sid } = await enter()
	const token = () => campus.logoutToken(campus.visitor, sid)
	await offerCampus(admin, campus, { isOn: '' })
	await expect(receiveLogoutToken(await token(), '')).rejects.toMatchObject(refusal)
	await offerCampus(admin, campus)
	campus.rotateKeys()
	await campus.stop()
	await expect(receiveLogoutToken(await token(), '')).rejects.toMatchObject(refusal)
	await campus.start()
	expect(await isLoggedIn(cookies)).toBe(true)
})

test('a provider that is down is asked every 30 seconds, not for every token', async () => {
	// A login asks for the keys again, which were rotated.
	await logIn().catch(() => {})
	const { sid } = await enter()
	const token = () => campus.logoutToken(campus.visitor, sid)
	const pass = passTime()
	// A test before may have asked for the keys a moment ago, also in vain.
	pass(31)
	await receiveLogoutToken(await token(), '')
	campus.rotateKeys()
	const tokens = await Promise.all([token(), token(), token(), token(), token()])
	const asked = vi.spyOn(globalThis, 'fetch')
	const isRefused = () => expect(receiveLogoutToken(tokens.pop() ?? '', '')).rejects.toMatchObject(refusal)
	await campus.stop()
	pass(31)
	await isRefused()
	await isRefused()
	expect(asked).toHaveBeenCalledTimes(1)
	await campus.start()
	pass(31)
	await receiveLogoutToken(tokens.pop() ?? '', '')
	expect(asked).toHaveBeenCalledTimes(2)
	await campus.stop()
	// The metadata, too, have to be fetched again.
	pass(3_600)
	await isRefused()
	await isRefused()
	expect(asked).toHaveBeenCalledTimes(3)
	await campus.start()
})

/** @returns sets the clocks by which answers of the provider are kept some seconds ahead; those of tokens stay */
function passTime(): (seconds: number) => void {
	const date = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
	const elapsed = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
	return (seconds) => {
		for (const clock of [date, elapsed]) clock.mockReturnValue(clock() + seconds * 1_000)
	}
}
