import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { Invalid, Unavailable } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { withoutDatabase } from '~/platform/db/scope.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { cookiesOf, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mailedToken, resetCounts, sentMails } from '../../../tests/support/jobs.ts'
import { registerMember } from './accounts.server.ts'
import { logIn } from './login.server.ts'
import { requestPasswordReset, resetPassword } from './security/change-password.server.ts'
import { viewerFromRequest } from './viewer.server.ts'

useDatabase()

// The worker creates the tables of the job queue; it is stopped, so that jobs stay there.
beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	await resetCounts()
	await sql`delete from graphile_worker._private_jobs`.execute(db())
})

const password = 'a lantern at the ford'
let address = 0

async function register(email: string, secret = password, name = `Mira of ${email}`): Promise<string> {
	const { email: known } = await registerMember(
		form({ name, email, password: secret, confirmPassword: secret }),
		request(),
	)
	return known
}

function newEmail(): string {
	address += 1
	return `member${address}@eastmere.example`
}

async function enter(email: string, secret = password): Promise<string> {
	return cookiesOf(await logIn(form({ email, password: secret }), request()))
}

async function resetToken(email: string): Promise<string> {
	await requestPasswordReset(form({ email }), request())
	return mailedToken(email)
}

test('a new member can log in by e-mail and by username, and is authenticated by the cookie', async () => {
	await register('Nell.Thistle@Eastmere.example', password, 'Nell Thistle')
	for (const name of ['nell.thistle@eastmere.example', 'NELL.thistle']) {
		const { viewer } = await viewerFromRequest(request(await enter(name)), { fresh: true })
		expect(viewer).toMatchObject({ username: 'nell.thistle', name: 'Nell Thistle' })
	}
})

test('a new member has the role member and an empty profile, even the first one', async () => {
	const { rows } = await sql<{ role: string }>`select role from users order by id limit 1`.execute(db())
	expect(rows[0]?.role).toBe('member')
	const email = await register(newEmail())
	const user = await db()
		.selectFrom('users')
		.select(['id', 'role'])
		.where('email', '=', email)
		.executeTakeFirstOrThrow()
	expect(user.role).toBe('member')
	expect(
		await db().selectFrom('profiles').select('user_id').where('user_id', '=', user.id).executeTakeFirst(),
	).toBeDefined()
})

test('twenty concurrent registrations with the same prefix get distinct usernames', async () => {
	await Promise.all(Array.from({ length: 20 }, (_, index) => register(`tara@host${index}.example`)))
	const rows = await db().selectFrom('users').select('username').where('username', 'like', 'tara%').execute()
	expect(new Set(rows.map(({ username }) => username)).size).toBe(20)
	expect(rows.map(({ username }) => username)).toContain('tara')
})

test('a reserved name gets a number', async () => {
	await register('settings@eastmere.example')
	expect(
		await db()
			.selectFrom('users')
			.select('username')
			.where('email', '=', 'settings@eastmere.example')
			.executeTakeFirst(),
	).toEqual({ username: 'settings2' })
})

test.each([
	['nothing at all', {}, 'All fields are required!'],
	[
		'another confirmation',
		{ name: 'A', email: 'a@b.example', password: 'long enough', confirmPassword: 'long enouph' },
		"Password doesn't match!",
	],
	[
		'a common password',
		{ name: 'A', email: 'a@b.example', password: 'Password1', confirmPassword: 'Password1' },
		/too common/,
	],
	[
		'seven characters',
		{ name: 'A', email: 'a@b.example', password: 'ünïcöde', confirmPassword: 'ünïcöde' },
		/at least 8 characters/,
	],
	[
		'129 characters',
		{ name: 'A', email: 'a@b.example', password: 'a lantern'.repeat(15), confirmPassword: 'a lantern'.repeat(15) },
		/at most 128 characters/,
	],
	[
		'no address',
		{ name: 'A', email: 'a', password: 'long enough!', confirmPassword: 'long enough!' },
		'Enter a valid email address.',
	],
])('registering with %s is refused', async (_what, values, message) => {
	const count = () => db().selectFrom('users').select(db().fn.countAll().as('count')).executeTakeFirst()
	const before = await count()
	await expect(registerMember(form(values as Record<string, string>), request())).rejects.toThrow(message)
	expect(await count()).toEqual(before)
})

test.each([
	['128 characters of Unicode', '🏮🦊ü ŝ🎻🧭x'.repeat(16)],
	['spaces at both ends', '  a lantern  '],
])('a password of %s is taken whole', async (_what, secret) => {
	const email = await register(newEmail(), secret)
	await expect(enter(email, secret)).resolves.toContain('session=')
	await expect(enter(email, secret.slice(0, -2))).rejects.toThrow(Invalid)
})

test('registering a known address gets the same response, sends its owner a mail, and creates no account', async () => {
	const email = await register(newEmail())
	expect(await register(email, 'quite another one')).toBe(email)
	expect((await sentMails()).map(({ to, subject }) => [to, subject])).toEqual([
		[email, 'You already have an account at DevQuad'],
	])
	await expect(enter(email, 'quite another one')).rejects.toThrow(Invalid)
})

test('a wrong password and an unknown address get the same error', async () => {
	const email = await register(newEmail())
	const refusals = await Promise.all(
		[enter(email, 'wrong password'), enter('nobody@eastmere.example'), enter('no-such-name')].map((attempt) =>
			attempt.catch((error: Error) => error.message),
		),
	)
	expect(new Set(refusals)).toEqual(new Set(['The email or password is wrong.']))
})

test('a reset sets the password and ends all sessions; its link works once, even concurrently', async () => {
	const email = await register(newEmail())
	const cookies = await enter(email)
	const token = await resetToken(email)
	const uses = await Promise.allSettled(
		['the first new one', 'the second new one'].map((secret) =>
			resetPassword(form({ token, password: secret, confirmPassword: secret }), request()),
		),
	)
	expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
	expect((await viewerFromRequest(request(cookies), { fresh: true })).viewer).toBeNull()
	await expect(enter(email)).rejects.toThrow(Invalid)
})

test('a reset link expires after ten minutes', async () => {
	const email = await register(newEmail())
	const token = await resetToken(email)
	await sql`update verifications set expires_at = now() - interval '1 second'`.execute(db())
	await expect(resetPassword(form({ token, password, confirmPassword: password }), request())).rejects.toThrow(
		/has been used or has expired/,
	)
})

test('requesting a reset for an unknown address gets the same response, and sends nothing', async () => {
	await expect(requestPasswordReset(form({ email: 'nobody@eastmere.example' }), request())).resolves.toBeUndefined()
	expect(await sentMails()).toEqual([])
	await expect(requestPasswordReset(form({}), request())).rejects.toThrow('Email is required!')
})

test('nobody can log in to the account of an imported author', async () => {
	await db()
		.insertInto('users')
		.values({ username: 'imported.author', name: 'X', email: 'abc@import.invalid', image: null, imported: true })
		.execute()
	await expect(enter('abc@import.invalid', '')).rejects.toThrow(Invalid)
	await expect(enter('abc@import.invalid')).rejects.toThrow(Invalid)
	await expect(enter('imported.author')).rejects.toThrow(Invalid)
})

test('a session that cannot be looked up during an outage is not logged, and any other error is, with its cause', async () => {
	const email = newEmail()
	await register(email)
	const signed = await enter(email)
	// Better Auth looks it up once the signed cookie has expired.
	const cookie = signed.replace(/session_data=[^;]*/, '')
	const logged = vi.spyOn(log, 'error').mockImplementation(() => {})
	onTestFinished(() => logged.mockRestore())
	const look = () => viewerFromRequest(request(cookie), { fresh: true }).catch(() => null)
	await withoutDatabase(new Unavailable('away'), look)
	expect(logged).not.toHaveBeenCalled()
	const cause = new Error('a bug')
	await withoutDatabase(cause as never, look)
	expect(logged).toHaveBeenCalledWith({ from: 'accounts', err: cause }, 'INTERNAL_SERVER_ERROR')
	const lookSigned = () => viewerFromRequest(request(signed), { fresh: true }).catch((error: unknown) => error)
	for (const each of [new Unavailable('away'), cause as never])
		expect(await withoutDatabase(each, lookSigned)).toBe(each)
})
