import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import { makeAuth } from '~/features/accounts/auth.server.ts'
import { logIn, SecondStepRequired } from '~/features/accounts/login.server.ts'
import {
	changePassword,
	requestPasswordReset,
	resetPassword,
} from '~/features/accounts/security/change-password.server.ts'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { Conflict, Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { cookiesOf, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mailedToken, resetCounts, sentMails } from '../../../tests/support/jobs.ts'
import { consumeTotpCode } from './codes.server.ts'
import { confirmIdentity } from './confirming.server.ts'
import {
	beginTotpSetup,
	finishSecondStep,
	finishTotpSetup,
	getSecondFactor,
	hasPendingLogin,
	renewRecoveryCodes,
	resetSecondFactor,
	turnOffSecondFactor,
} from './second-factor.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

// Time stands still in the middle of a period, so that a code stays the same during a test.
beforeAll(() => vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 15_000 }))
afterAll(() => vi.useRealTimers())

beforeEach(resetCounts)

const password = 'a lantern at the ford'

const viewerOf = async (cookie: string) => (await viewerFromRequest(request(cookie), { fresh: true })).viewer

interface Person {
	email: string
	viewer: SignedIn
	cookie: string
	/** The code of the app, this many periods from now. */
	code: (periods?: number) => string
	recovery: string[]
}

let made = 0

/** A member with an active app. */
async function enrolled(): Promise<Person> {
	made += 1
	const email = `person${made}@eastmere.example`
	const account = { name: `Person ${made}`, email, password, confirmPassword: password }
	await registerMember(form(account), request())
	const cookie = cookiesOf(await logIn(form({ email, password }), request()))
	const viewer = await viewerOf(cookie)
	if (!viewer) throw new Error('not logged in')
	await beginTotpSetup(viewer)
	const { setup } = await getSecondFactor(viewer)
	const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') })
	const code = (periods = 0) => totp.generate({ timestamp: Date.now() + periods * 30_000 })
	// The code of the previous period, so that the present one can still be used.
	const recovery = await finishTotpSetup(viewer, form({ code: code(-1) }))
	return { email, viewer, cookie, code, recovery }
}

/** The first step of a login. @returns the cookie of the pending second step */
async function enterPassword({ email }: Pick<Person, 'email'>, cookie = ''): Promise<string> {
	const refusal = await logIn(form({ email, password }), request(cookie)).catch((error: unknown) => error)
	if (!(refusal instanceof SecondStepRequired)) throw new Error('No second step.')
	return refusal.cookie.split(';')[0] ?? ''
}

const sessionsOf = async ({ viewer }: Person) =>
	(await sql`select from sessions where user_id = ${viewer.id}`.execute(db())).rows.length

const eventsOf = async ({ viewer }: Person) =>
	(
		await sql<{ kind: string }>`select kind from security_events where user_id = ${viewer.id} order by id`.execute(db())
	).rows.map(({ kind }) => kind)

test('secret and codes are stored encrypted or hashed, the secret is not shown again, and the member is notified by mail', async () => {
	const person = await enrolled()
	const { rows } = await sql<{ row: string }>`
		select t::text as row from totp_secrets t union all select c::text from recovery_codes c`.execute(db())
	const stored = JSON.stringify(rows)
	for (const code of person.recovery) expect(stored).not.toContain(code.replaceAll('-', '').slice(2))
	expect(rows.find(({ row }) => row.includes('v1.'))).toBeDefined()
	expect(person.recovery).toHaveLength(10)
	expect(new Set(person.recovery).size).toBe(10)
	expect(await getSecondFactor(person.viewer)).toEqual({ isOn: true, codesLeft: 10, isRequired: false, setup: null })
	expect(JSON.stringify(await sentMails(person.email))).toContain('An authenticator app was set up')
	expect(await eventsOf(person)).toContain('second-factor-on')
	await expect(beginTotpSetup(person.viewer)).rejects.toThrow(Conflict)
})

/** The member whose codes are guessed. */
let guessed: Person | undefined

describe('the login', () => {
	test('a password alone starts no session, by any way; a code does, once', async () => {
		const person = await enrolled()
		const before = await sessionsOf(person)
		const waiting = await enterPassword(person)
		const call = { body: { email: person.email, password }, headers: new Headers({ 'x-client-ip': '198.51.100.7' }) }
		await expect(makeAuth().api.signInEmail(call)).rejects.toThrow('second factor')
		expect([await sessionsOf(person), await viewerOf(waiting)]).toEqual([before, null])
		expect(await hasPendingLogin(request(waiting))).toBe(true)
		const { headers, isLeaving } = await finishSecondStep(form({ code: person.code() }), request(waiting))
		expect(isLeaving).toBe(false)
		const cookie = cookiesOf(headers)
		expect((await viewerOf(cookie))?.id).toBe(person.viewer.id)
		expect(await hasPendingLogin(request(waiting))).toBe(false)
		await expect(finishSecondStep(form({ code: person.code(1) }), request(waiting))).rejects.toThrow('took too long')
		await requireConfirmed(person.viewer, request(cookie))
	})

	test.each<[string, (person: Person) => string, string]>([
		['nothing', () => '', 'Enter a code.'],
		['letters', () => 'abcdef', 'That recovery code is not right'],
		['five digits', (person) => person.code().slice(1), 'That code is not right'],
		['the code that turned the app on', (person) => person.code(-1), 'That code has been used'],
		['a code of five minutes ago', (person) => person.code(-10), 'That code is not right'],
		['a code of five minutes ahead', (person) => person.code(10), 'That code is not right'],
		['a recovery code with another letter', ({ recovery }) => `${recovery[0]?.slice(0, -1)}0`, 'recovery code is not'],
		['the beginning of a recovery code', ({ recovery }) => recovery[0]?.slice(0, 4) ?? '', 'recovery code is not'],
	])('with %s is refused at the field', async (_what, typed, message) => {
		guessed ??= await enrolled()
		const person = guessed
		const waiting = await enterPassword(person)
		await expect(finishSecondStep(form({ code: typed(person) }), request(waiting))).rejects.toMatchObject({
			fields: { code: expect.stringContaining(message) },
		})
		expect(await viewerOf(waiting)).toBeNull()
	})

	test.each<[string, (person: Person) => string]>([
		['the code of the next period, of a clock that is fast', (person) => person.code(1)],
		['a code with a blank', (person) => person.code().replace(/^(...)/, '$1 ')],
		['a recovery code', ({ recovery }) => recovery[3] ?? ''],
		[
			'a recovery code in capitals, without its hyphens',
			({ recovery }) => recovery[4]?.toUpperCase().replaceAll('-', '') ?? '',
		],
	])('with %s goes through, and not a second time', async (_what, typed) => {
		const person = await enrolled()
		const code = typed(person)
		await finishSecondStep(form({ code }), request(await enterPassword(person)))
		const again = finishSecondStep(form({ code }), request(await enterPassword(person)))
		await expect(again).rejects.toThrow(/has been used/)
		expect(await eventsOf(person)).toContain('code-failed')
	})

	test.each<[string, (person: Person) => string]>([
		['one code of the app', (person) => person.code()],
		['one recovery code', ({ recovery }) => recovery[0] ?? ''],
	])('of five at once with %s, one gets through', async (_what, typed) => {
		const person = await enrolled()
		const code = typed(person)
		const waiting = await Promise.all(Array.from({ length: 5 }, () => enterPassword(person)))
		const answers = await Promise.allSettled(waiting.map((cookie) => finishSecondStep(form({ code }), request(cookie))))
		expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
	})

	test('of five concurrent codes for one password, one succeeds', async () => {
		const person = await enrolled()
		const waiting = await enterPassword(person)
		const answers = await Promise.allSettled(
			person.recovery.slice(0, 5).map((code) => finishSecondStep(form({ code }), request(waiting))),
		)
		expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		expect((await getSecondFactor(person.viewer)).codesLeft).toBe(9)
	})

	test('attempts are counted per account over all logins, those of a known device separately', async () => {
		const person = await enrolled()
		for (let tries = 0; tries < 5; tries += 1) {
			const guess = finishSecondStep(form({ code: '000000' }), request(await enterPassword(person)))
			await expect(guess).rejects.toThrow(Invalid)
			await forgetPasswords()
		}
		const right = form({ code: person.recovery[0] ?? '' })
		await expect(finishSecondStep(right, request(await enterPassword(person)))).rejects.toThrow(TooManyRequests)
		const device = person.cookie.split('; ').find((cookie) => cookie.startsWith('device=')) ?? ''
		const waiting = await enterPassword(person, device)
		await finishSecondStep(right, request(`${device}; ${waiting}`))
	})

	test('the password expires after ten minutes', async () => {
		const person = await enrolled()
		const waiting = await enterPassword(person)
		await sql`update login_challenges set expires_at = now()`.execute(db())
		const late = finishSecondStep(form({ code: person.code() }), request(waiting))
		await expect(late).rejects.toThrow(NotAllowed)
	})
})

/** Logins with the right password but without a second step count as attempts. */
const forgetPasswords = () => sql`delete from attempts where key like 'login-%'`.execute(db())

test('an old code is rejected even if the clock was set back', async () => {
	const { viewer, code } = await enrolled()
	const take = (typed: string) =>
		db()
			.transaction()
			.execute((trx) => consumeTotpCode(trx, viewer.id, typed))
	expect(await take(code(1))).toBe('right')
	expect(await take(code())).toBe('used')
})

test('a code confirms the identity once', async () => {
	const { viewer, cookie, code } = await enrolled()
	const expire = () => sql`update sessions set confirmed_at = null where user_id = ${viewer.id}`.execute(db())
	const typed = code()
	await expire()
	await confirmIdentity(viewer, form({ code: typed }), request(cookie))
	await requireConfirmed(viewer, request(cookie))
	await expire()
	await expect(confirmIdentity(viewer, form({ code: typed }), request(cookie))).rejects.toThrow('has been used')
	await expect(requireConfirmed(viewer, request(cookie))).rejects.toThrow(NotAllowed)
})

test('new recovery codes replace the old ones', async () => {
	const person = await enrolled()
	const [fresh] = await renewRecoveryCodes(person.viewer)
	const login = async (code = '') =>
		(await finishSecondStep(form({ code }), request(await enterPassword(person)))).headers
	await expect(login(person.recovery[0])).rejects.toThrow(Invalid)
	expect(cookiesOf(await login(fresh))).toContain('session=')
})

test('a login that waits for its code ends with the password that began it', async () => {
	const [changed, reset] = [await enrolled(), await enrolled()]
	const waiting = [await enterPassword(changed), await enterPassword(reset)]
	const next = 'another lantern at the ford'
	await changePassword(changed.viewer, form({ currentPassword: password, newPassword: next }), request(changed.cookie))
	await requestPasswordReset(form({ email: reset.email }), request())
	const token = await mailedToken(reset.email)
	await resetPassword(form({ token, password: next, confirmPassword: next }), request())
	for (const [index, person] of [changed, reset].entries()) {
		const cookie = waiting[index]
		expect(await hasPendingLogin(request(cookie))).toBe(false)
		await expect(finishSecondStep(form({ code: person.code() }), request(cookie))).rejects.toThrow('Start again')
	}
})

test('changing the password keeps the second factor and the session', async () => {
	const person = await enrolled()
	const fields = form({ currentPassword: password, newPassword: 'another lantern at the ford' })
	const cookie = cookiesOf(await changePassword(person.viewer, fields, request(person.cookie)))
	expect((await viewerOf(cookie))?.id).toBe(person.viewer.id)
	expect((await getSecondFactor(person.viewer)).isOn).toBe(true)
})

test.each<[string, (person: Person) => Promise<unknown>, string]>([
	['its member', ({ viewer }) => turnOffSecondFactor(viewer), 'was turned off'],
	[
		'an admin',
		({ viewer }) =>
			db()
				.transaction()
				.execute((trx) => resetSecondFactor(trx, viewer)),
		'An admin turned',
	],
])(
	'turned off by %s, the password alone lets in again; they are told, and nothing is left',
	async (_who, act, said) => {
		const person = await enrolled()
		const waiting = await enterPassword(person)
		await act(person)
		expect(await hasPendingLogin(request(waiting))).toBe(false)
		expect(cookiesOf(await logIn(form({ email: person.email, password }), request()))).toContain('session=')
		expect(await getSecondFactor(person.viewer)).toEqual({ isOn: false, codesLeft: 0, isRequired: false, setup: null })
		expect(JSON.stringify(await sentMails(person.email))).toContain(said)
	},
)
