import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { parseConfig } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { resetCounts, sentMails } from '../../../tests/support/jobs.ts'
import { auth, makeAuth } from './auth.server.ts'
import { authHandler } from './auth-handler.server.ts'

// The stored hash must have the cost that is used in production.
vi.unmock('@node-rs/argon2')

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	await resetCounts()
})

const password = 'a lantern at the ford'
const site = 'http://localhost:3000'

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
	return authHandler(
		new Request(`${site}/api/auth${path}`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', 'x-client-ip': '198.51.100.7', Origin: site, ...headers },
			body: JSON.stringify(body),
		}),
	)
}

const signUp = (email: string, more = {}) =>
	post('/sign-up/email', { name: `Mira of ${email}`, email, password, ...more })

async function userOf(email: string) {
	return db().selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

test('registration and login by the API follow the same rules, and ids are integers', async () => {
	const made = await signUp('Nell@eastmere.example')
	expect([made.status, await made.json()]).toEqual([200, { status: true }])
	const user = await userOf('nell@eastmere.example')
	expect(user).toMatchObject({ id: expect.any(Number), username: 'nell', email_verified: false })
	const entered = await post('/sign-in/email', { email: 'nell@eastmere.example', password })
	expect(entered.status).toBe(200)
	const session = await db()
		.selectFrom('sessions')
		.selectAll()
		.where('user_id', '=', Number(user?.id))
		.executeTakeFirstOrThrow()
	expect(session).toMatchObject({ id: expect.any(Number), ip_address: '198.51.100.7' })
	const stored = await db()
		.selectFrom('credentials')
		.select('password')
		.where('user_id', '=', Number(user?.id))
		.executeTakeFirst()
	expect(stored?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a known address gets an identical response', async () => {
	const [first, second] = [await signUp('tess@eastmere.example'), await signUp('tess@eastmere.example')]
	expect([second.status, await second.text()]).toEqual([first.status, await first.text()])
})

test('two concurrent registrations of an address create one account and get the same response', async () => {
	const answers = await Promise.all([signUp('twin@eastmere.example'), signUp('twin@eastmere.example')])
	expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]))).toEqual([
		[200, { status: true }],
		[200, { status: true }],
	])
	expect(
		await db().selectFrom('users').select('username').where('email', '=', 'twin@eastmere.example').execute(),
	).toHaveLength(1)
})

test('a registration that is cut off leaves no half of an account, and the member registers again', async () => {
	// The credentials come last.
	await sql`
		create function cut_off() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$`.execute(
		db(),
	)
	await sql`create trigger cut_off before insert on credentials for each row execute function cut_off()`.execute(db())
	await expect(
		auth().api.signUpEmail({ body: { name: 'Cut', email: 'cut@eastmere.example', password } }),
	).rejects.toThrow()
	await sql`drop function cut_off cascade`.execute(db())
	expect(await userOf('cut@eastmere.example')).toBeUndefined()
	await signUp('cut@eastmere.example')
	expect(await userOf('cut@eastmere.example')).toMatchObject({ username: 'cut' })
	expect((await post('/sign-in/email', { email: 'cut@eastmere.example', password })).status).toBe(200)
})

test.each([
	['a common password', { password: 'iloveyou1' }, 422, 'PASSWORD_TOO_COMMON'],
	['a short password', { password: 'ünïcöde' }, 422, 'PASSWORD_TOO_SHORT'],
	['129 characters', { password: 'lantern 🏮'.repeat(15) }, 422, 'PASSWORD_TOO_LONG'],
	['no password', { password: null }, 422, 'PASSWORD_TOO_SHORT'],
	['no name', { name: '  ' }, 422, 'INVALID_NAME'],
	['a name with a NUL', { name: 'a\0b' }, 422, 'INVALID_NAME'],
	['a role', { role: 'admin' }, 400, 'FIELD_NOT_ALLOWED'],
	['a username', { username: 'root' }, 400, 'FIELD_NOT_ALLOWED'],
	['no address', { email: 'a\0b' }, 400, 'INVALID_EMAIL'],
	[
		'an address of 201 characters',
		{ email: `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.example` },
		400,
		'INVALID_EMAIL',
	],
])('a program that registers with %s is refused', async (_what, change, status, code) => {
	const answer = await signUp('refused@eastmere.example', change)
	expect([answer.status, (await answer.json()).code]).toEqual([status, code])
	expect(await userOf('refused@eastmere.example')).toBeUndefined()
})

test('a picture from another site is refused', async () => {
	await signUp('pixel@eastmere.example', { image: 'https://tracker.example/pixel.png' })
	expect((await userOf('pixel@eastmere.example'))?.image).toBeNull()
})

test('guesses are limited here too: 429, a code, and Retry-After in seconds', async () => {
	const guess = () => post('/sign-in/email', { email: 'Target@eastmere.example', password: 'wrong password' })
	for (let attempt = 0; attempt < 5; attempt += 1) expect((await guess()).status).toBe(401)
	const refused = await guess()
	expect(refused.status).toBe(429)
	expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(600)
	expect(await refused.json()).toMatchObject({
		code: 'TOO_MANY_TRIES',
		message: expect.stringContaining('Wait 15 minutes'),
	})
})

test('requesting a reset gets the same response for any address, and sends three mails', async () => {
	await signUp('often@eastmere.example')
	const ask = (email: string) => post('/request-password-reset', { email })
	const answers = async (email: string) => {
		const all: unknown[] = []
		for (let attempt = 0; attempt < 5; attempt += 1) {
			const answer = await ask(email)
			all.push([answer.status, await answer.text()])
		}
		return all
	}
	const known = await answers('often@eastmere.example')
	expect(known.map((answer) => (answer as [number, string])[0])).toEqual([200, 200, 200, 200, 200])
	expect(await answers('nobody@eastmere.example')).toEqual(known)
	expect(await sentMails('often@eastmere.example')).toHaveLength(3)
	expect(await sentMails('nobody@eastmere.example')).toEqual([])
})

test('a page of another site cannot use a reader’s cookies', async () => {
	const answer = await post(
		'/sign-in/email',
		{ email: 'a@b.example', password },
		{ Origin: 'https://evil.example', Cookie: 'session=x' },
	)
	expect(answer.status).toBe(403)
})

test.each([
	'/change-password',
	'/update-user',
	'/delete-user',
	'/change-email',
	'/verify-email',
	'/error',
	'/ok',
	'/sign-in/social',
	'/list-sessions',
])('%s is not offered', async (path) => {
	expect((await post(path, {})).status).toBe(404)
})

test('behind TLS all session cookies are HttpOnly, Lax, Secure and bound to the host', async () => {
	await signUp('secure@eastmere.example')
	const auth = makeAuth(parseConfig({ PUBLIC_URL: 'https://quad.example', AUTH_SECRET: 's'.repeat(32) }))
	const { headers } = await auth.api.signInEmail({
		body: { email: 'secure@eastmere.example', password },
		headers: new Headers({ 'x-client-ip': '198.51.100.7' }),
		returnHeaders: true,
	})
	// The device cookie depends on the settings of the process; tests/process/ways-in.db.test.ts covers it behind TLS.
	const cookies = headers.getSetCookie().filter((cookie) => !cookie.startsWith('device='))
	expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['__Host-session', '__Host-session_data'])
	for (const cookie of cookies) {
		expect(cookie).toMatch(/; Path=\//)
		expect(cookie).toMatch(/; HttpOnly/)
		expect(cookie).toMatch(/; Secure/)
		expect(cookie).toMatch(/; SameSite=Lax/)
		expect(cookie).not.toMatch(/Domain=/i)
	}
	expect(cookies[1]).toMatch(/Max-Age=300\b/)
})
