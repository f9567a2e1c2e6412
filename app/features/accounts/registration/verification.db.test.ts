import * as argon2 from '@node-rs/argon2'
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { db } from '~/platform/db/db.server.ts'
import { NamedStatements } from '~/platform/db/named-statements.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { cookiesOf, form, request } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { deliverAccountMails, mailedToken, resetCounts, sentMails } from '../../../../tests/support/jobs.ts'
import { registerMember } from '../accounts.server.ts'
import { authHandler } from '../auth-handler.server.ts'
import { logIn } from '../login.server.ts'
import { requestPasswordReset, resetPassword } from '../security/change-password.server.ts'
import { accountLinks } from './account-mails.server.ts'
import { confirmAddress, denyRegistration, findConfirmation, resendLink } from './registrations.server.ts'

vi.mock('@node-rs/argon2', { spy: true })

vi.hoisted(() => {
	process.env.REQUIRE_EMAIL_VERIFICATION = 'true'
	process.env.ALLOWED_EMAIL_DOMAINS = 'eastmere.example, Westmere.example'
	process.env.ADMIN_EMAIL = 'Head@eastmere.example'
})

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(resetCounts)

const password = 'a lantern at the ford'

/** A request from one browser, with its cookies. */
/** Registers. @returns the browser's cookies afterwards */
async function register(email: string, { secret = password, name = 'Mira Vale' } = {}): Promise<string> {
	const input = form({ name, email, password: secret, confirmPassword: secret })
	const { headers } = await registerMember(input, request())
	return cookiesOf(headers)
}

const enter = (email: string, secret = password) => logIn(form({ email, password: secret }), request())
const confirm = (token: string, { cookie = '', typed = '' } = {}) =>
	confirmAddress({ token, password: typed }, request(cookie))

async function userOf(email: string) {
	return db().selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

test('a registration becomes a member when the address is confirmed', async () => {
	const email = 'mira@cs.eastmere.example'
	const cookie = await register(email)
	const token = await mailedToken(email)
	expect((await sentMails(email)).map(({ subject }) => subject)).toEqual(['Confirm your address for DevQuad'])
	expect(await userOf(email)).toBeUndefined()
	const members = async () => (await sql`select from member_search`.execute(db())).rows.length
	const before = await members()
	await expect(enter(email)).rejects.toThrow(Invalid)
	await confirm(token, { cookie })
	expect(await userOf(email)).toMatchObject({
		username: 'mira',
		name: 'Mira Vale',
		email_verified: true,
		role: 'member',
	})
	expect(await members()).toBe(before + 1)
	await expect(enter(email)).resolves.toBeInstanceOf(Headers)
})

test('opening a link changes nothing; it confirms once, even concurrently, and explains itself later', async () => {
	const email = 'once@eastmere.example'
	const cookie = await register(email)
	const token = await mailedToken(email)
	for (let look = 0; look < 3; look += 1)
		expect(await findConfirmation(token, request(cookie).headers)).toEqual({
			state: 'open',
			email,
			name: 'Mira Vale',
			needsPassword: false,
		})
	expect(await userOf(email)).toBeUndefined()
	const outcomes = await Promise.all(Array.from({ length: 20 }, () => confirm(token, { cookie })))
	expect(outcomes.filter(({ again }) => !again)).toHaveLength(1)
	expect(await db().selectFrom('users').select('id').where('email', '=', email).execute()).toHaveLength(1)
	expect(await findConfirmation(token, request().headers)).toMatchObject({ state: 'used' })
	expect(await confirm(token)).toEqual({ email, again: true })
	await expect(denyRegistration(token)).rejects.toThrow(Invalid)
})

test.each(['', 'nonsense', 'eyJhbGciOiJub25lIn0.eyJlbWFpbCI6Im1pcmFAZWFzdG1lcmUuZXhhbXBsZSJ9.', '\u0000'])(
	'the link %j confirms nothing',
	async (token) => {
		await expect(findConfirmation(token, request().headers)).rejects.toThrow(Invalid)
		await expect(confirm(token)).rejects.toThrow(Invalid)
		await expect(denyRegistration(token)).rejects.toThrow(Invalid)
	},
)

/** Lets this many minutes pass for all links. */
const pass = (minutes: number) =>
	sql`
	update email_links set works_until = works_until - make_interval(mins => ${minutes}),
		expires_at = expires_at - make_interval(mins => ${minutes})`.execute(db())

test('a link is valid for ten minutes after its mail is sent; for a day its page sends another one to the same address', async () => {
	const email = 'slow@eastmere.example'
	const cookie = await register(email)
	const token = await mailedToken(email)
	await pass(60)
	// The mail server was unavailable for an hour.
	expect(await accountLinks['verify-email'](token)).toBe(true)
	await pass(9)
	expect(await findConfirmation(token, request(cookie).headers)).toMatchObject({ state: 'open' })
	await pass(2)
	const nothing = { state: 'over', email: '', name: '', needsPassword: false }
	expect(await findConfirmation(token, request(cookie).headers)).toEqual(nothing)
	for (const typed of ['', password])
		await expect(confirm(token, { cookie: typed ? '' : cookie, typed })).rejects.toThrow(/works for 10 minutes/)
	expect(await userOf(email)).toBeUndefined()
	await resendLink(token, request())
	const next = await mailedToken(email)
	expect(next).not.toBe(token)
	await expect(confirm(token, { cookie })).rejects.toThrow(/a newer one was sent/)
	expect(await accountLinks['verify-email'](token)).toBe(false)
	await confirm(next, { cookie })
	expect(await userOf(email)).toMatchObject({ email_verified: true })
})

test('a day later a link is unknown; requesting another one always gets the same response, and mails nobody twice in vain', async () => {
	const email = 'slower@eastmere.example'
	const cookie = await register(email)
	const token = await mailedToken(email)
	await pass(24 * 60 + 1)
	await expect(confirm(token, { cookie })).rejects.toThrow(/expired/)
	for (const one of [token, 'nonsense', '']) expect(await resendLink(one, request())).toBeUndefined()
	expect(await sentMails(email)).toHaveLength(1)
	const used = await register('done@eastmere.example')
	const done = await mailedToken('done@eastmere.example')
	await confirm(done, { cookie: used })
	await resendLink(done, request())
	expect(await sentMails('done@eastmere.example')).toHaveLength(1)
})

test('requests for other links are limited', async () => {
	const asked = Array.from({ length: 32 }, () => resendLink('nonsense', request()).catch((error) => error))
	expect((await Promise.all(asked)).filter((answer) => answer instanceof TooManyRequests)).toHaveLength(2)
})

test('“I did not register” is valid for a day, as it does not log in', async () => {
	const email = 'late.denial@eastmere.example'
	const cookie = await register(email)
	const token = await mailedToken(email)
	await pass(60)
	await denyRegistration(token)
	await expect(confirm(token, { cookie })).rejects.toThrow(/expired/)
	await enter(email).catch(() => {})
	expect(await sentMails(email)).toHaveLength(1)
})

test('registering again replaces password and name, and invalidates the older link', async () => {
	const email = 'victim@eastmere.example'
	const attacker = await register(email, { secret: 'the attacker knows this', name: 'Not Mira' })
	const older = await mailedToken(email)
	const cookie = await register(email)
	await expect(confirm(older, { cookie: attacker })).rejects.toThrow(Invalid)
	const newer = await mailedToken(email)
	await confirm(newer, { cookie })
	await expect(enter(email, 'the attacker knows this')).rejects.toThrow(Invalid)
	await expect(enter(email)).resolves.toBeInstanceOf(Headers)
	expect((await userOf(email))?.name).toBe('Mira Vale')
})

test('on another device the password is required, so that nobody completes a stranger’s registration', async () => {
	const email = 'elsewhere@eastmere.example'
	await register(email)
	const token = await mailedToken(email)
	expect(await findConfirmation(token, request().headers)).toMatchObject({ needsPassword: true })
	await expect(confirm(token)).rejects.toMatchObject({ fields: { password: 'Password field is required!' } })
	for (let attempt = 0; attempt < 5; attempt += 1)
		await expect(confirm(token, { typed: 'the victim’s own' })).rejects.toThrow(/not the password you chose/)
	await expect(confirm(token, { typed: password })).rejects.toThrow(TooManyRequests)
	await resetCounts()
	await confirm(token, { typed: password })
	await expect(enter(email)).resolves.toBeInstanceOf(Headers)
})

test('“I did not register” deletes the registration', async () => {
	const email = 'notme@eastmere.example'
	const cookie = await register(email)
	const token = await mailedToken(email)
	// Without scripts, a double click sends it twice.
	for (let press = 0; press < 2; press += 1) await denyRegistration(token)
	await expect(findConfirmation(token, request(cookie).headers)).rejects.toThrow(Invalid)
	await expect(confirm(token, { cookie })).rejects.toThrow(Invalid)
	await enter(email).catch(() => {})
	expect(await sentMails(email)).toHaveLength(1)
	expect(await userOf(email)).toBeUndefined()
})

test('logging in with an unconfirmed address mails another link, within the limit, and invalidates the older one', async () => {
	const email = 'waiting@eastmere.example'
	const cookie = await register(email)
	const older = await mailedToken(email)
	await enter(email, 'a wrong password').catch(() => {})
	expect(await sentMails(email)).toHaveLength(1)
	for (let attempt = 0; attempt < 4; attempt += 1) {
		await enter(email).catch(() => {})
		await deliverAccountMails()
	}
	expect(await sentMails(email)).toHaveLength(3)
	await expect(confirm(older, { cookie })).rejects.toThrow(Invalid)
	await confirm(await mailedToken(email), { cookie })
})

/** The statements and hashes that some work needs. */
async function workOf(work: () => Promise<unknown>): Promise<{ statements: string[]; hashes: number }> {
	const query = vi.spyOn(NamedStatements.prototype, 'query')
	const before = hashes()
	await work()
	const statements = query.mock.calls.map(([statement]) =>
		(typeof statement === 'string' ? statement : String((statement as { text?: string }).text)).trim().slice(0, 40),
	)
	query.mockRestore()
	// A failure is recorded in the background; the response does not wait for it.
	const awaited = statements.filter((statement) => !/guessed_at|security_events/.test(statement))
	return { statements: awaited, hashes: hashes() - before }
}

const hashes = () => vi.mocked(argon2.hash).mock.calls.length + vi.mocked(argon2.verify).mock.calls.length

function post(path: string, body: unknown): Promise<Response> {
	return authHandler(
		new Request(`http://localhost:3000/api/auth${path}`, {
			method: 'POST',
			headers: {
				'Content-Type': 'application/json',
				'x-client-ip': '198.51.100.7',
				Origin: 'http://localhost:3000',
			},
			body: JSON.stringify(body),
		}),
	)
}

async function answerOf(response: Response): Promise<unknown> {
	const headers = [...response.headers].map(([name, value]) => [name, value.replace(/device=[\w.-]+/, 'device=…')])
	return { status: response.status, headers, body: await response.text() }
}

test('registration and login do not reveal whether an address has an account: same responses, same work', async () => {
	// Counters are swept at random, which is not part of either case's work.
	vi.spyOn(Math, 'random').mockReturnValue(0.5)
	const known = 'known@westmere.example'
	const cookie = await register(known)
	await confirm(await mailedToken(known), { cookie })
	const seen: Record<string, unknown[]> = { answers: [], pages: [], registering: [], loggingIn: [], forgetting: [] }
	const never = 'never@westmere.example'
	for (const email of [known, 'unknown@westmere.example']) {
		await resetCounts()
		const probe = { name: 'A Probe', email, password: 'the probe of a stranger' }
		seen.registering?.push(
			await workOf(async () => seen.answers?.push(await answerOf(await post('/sign-up/email', probe)))),
		)
		await deliverAccountMails()
		seen.loggingIn?.push(
			await workOf(async () => seen.answers?.push(await answerOf(await post('/sign-in/email', probe)))),
		)
		await deliverAccountMails()
		seen.pages?.push(await enter(email, probe.password).catch((error: Error) => [error.name, error.message]))
		seen.forgetting?.push(await workOf(() => post('/request-password-reset', { email })))
	}
	await resetCounts()
	seen.loggingIn?.push(await workOf(() => post('/sign-in/email', { email: never, password })))
	seen.forgetting?.push(await workOf(() => post('/request-password-reset', { email: never })))
	const [knownUp, knownIn, unknownUp, unknownIn] = seen.answers ?? []
	expect(unknownUp).toEqual(knownUp)
	expect(unknownIn).toEqual(knownIn)
	expect(seen.pages?.[1]).toEqual(seen.pages?.[0])
	for (const works of [seen.registering, seen.loggingIn, seen.forgetting])
		for (const work of works ?? []) expect(work).toEqual(works?.[0])
	expect(seen.registering?.[0]).toMatchObject({ hashes: 1 })
	expect(seen.loggingIn?.[0]).toMatchObject({ hashes: 1 })
	expect((await sentMails(known)).map(({ subject }) => subject)).toEqual([
		'Confirm your address for DevQuad',
		'You already have an account at DevQuad',
		'Set a new password for DevQuad',
	])
	expect((await sentMails('unknown@westmere.example')).map(({ subject }) => subject)).toEqual([
		'Confirm your address for DevQuad',
		'Confirm your address for DevQuad',
		'Confirm your address for DevQuad',
	])
})

test('an address of another domain is refused with the reason', async () => {
	const refusal = await register('mira@noteastmere.example').catch((error: Error) => error)
	expect(refusal).toBeInstanceOf(NotAllowed)
	expect((refusal as Error).message).toBe('Only addresses of eastmere.example, westmere.example can register here.')
})

test.each([
	['no address', { email: 'a\0b@eastmere.example' }, 400],
	['its own address as password', { email: 'own@eastmere.example', password: 'own@eastmere.example' }, 422],
	['the site’s name', { email: 'own@eastmere.example', password: 'DevQuad2026' }, 422],
])('a program that registers with %s is refused', async (_what, change, status) => {
	const answer = await post('/sign-up/email', { name: 'Mira', password, ...change })
	expect(answer.status).toBe(status)
	expect((await sql`select from registrations where email like '%own@eastmere%'`.execute(db())).rows).toEqual([])
})

test('the member with ADMIN_EMAIL becomes admin when the address is confirmed, also if the setting is made later', async () => {
	const email = 'head@eastmere.example'
	const roleOf = async () => (await userOf(email))?.role
	const cookie = await register('Head@eastmere.example')
	const token = await mailedToken(email)
	await expect(enter(email)).rejects.toThrow(Invalid)
	expect(await roleOf()).toBeUndefined()
	await confirm(token, { cookie })
	expect(await roleOf()).toBe('admin')
	await sql`update users set role = 'member', email_verified = false where email = ${email}`.execute(db())
	await enter(email).catch(() => {})
	expect(await roleOf()).toBe('member')
	await sql`update users set email_verified = true where email = ${email}`.execute(db())
	await enter(email)
	expect(await roleOf()).toBe('admin')
})

test('members from before confirmation was required have to confirm too, and a reset by mail confirms as well', async () => {
	for (const way of ['link', 'reset'] as const) {
		const email = `before-${way}@eastmere.example`
		const cookie = await register(email, { name: 'Nell Thistle' })
		await confirm(await mailedToken(email), { cookie })
		await sql`update users set email_verified = false where email = ${email}`.execute(db())
		await expect(enter(email)).rejects.toThrow(/not confirmed yet/)
		if (way === 'link') await confirm(await mailedToken(email), { cookie })
		else {
			await requestPasswordReset(form({ email }), request())
			const token = await mailedToken(email)
			await resetPassword(form({ token, password, confirmPassword: password }), request())
		}
		await expect(enter(email)).resolves.toBeInstanceOf(Headers)
	}
})
