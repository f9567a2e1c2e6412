import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { removeCredentials } from '~/features/accounts/accounts.queries.server.ts'
import { logIn, SecondStepRequired } from '~/features/accounts/login.server.ts'
import {
	changePassword,
	requestPasswordReset,
	resetPassword,
} from '~/features/accounts/security/change-password.server.ts'
import {
	beginTotpSetup,
	finishSecondStep,
	finishTotpSetup,
	getSecondFactor,
} from '~/features/authenticators/second-factor.server.ts'
import { standardClaims } from '~/features/campus-login/claims.server.ts'
import { logInByIdentity } from '~/features/campus-login/identities.server.ts'
import { linkIdentity } from '~/features/campus-login/linked-logins.server.ts'
import type { Provider } from '~/features/campus-login/providers.server.ts'
import {
	addPasskey,
	beginAdding,
	beginLogin,
	logInByPasskey,
	resetPasskeys,
} from '~/features/passkeys/passkeys.server.ts'
import { runInRequestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type LoggedIn, password, registerAndLogIn } from '../../../tests/support/account.ts'
import { makeAuthenticator } from '../../../tests/support/authenticator.ts'
import { form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mailedToken, resetCounts, useJobTables } from '../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { endAllAccess } from './sessions.server.ts'

/* Logins and changes of the password while what a login rests on is changed or removed. */

useDatabase()
useJobTables()

const next = 'another lantern at the ford'
const ip = '198.51.100.7'
let made = 0

/** A member who has just logged in. */
async function member(): Promise<LoggedIn> {
	made += 1
	await resetCounts()
	return registerAndLogIn(`Late ${made}`)
}

/** Sets up an authenticator app. @returns a recovery code, which needs no lock on the member */
async function enrol(viewer: SignedIn): Promise<string> {
	await beginTotpSetup(viewer)
	const { setup } = await getSecondFactor(viewer)
	const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') })
	const [recovery = ''] = await finishTotpSetup(viewer, form({ code: totp.generate() }))
	return recovery
}

const change = ({ viewer, cookie }: LoggedIn) =>
	changePassword(viewer, form({ currentPassword: password, newPassword: next }), request(cookie))

/** Removes what a login rests on and ends all access, in one transaction as its callers do. */
const removing = ({ viewer }: LoggedIn, remove: (trx: Executor) => Promise<unknown>) =>
	db()
		.transaction()
		.execute(async (trx) => {
			await remove(trx)
			await endAllAccess(trx, viewer.id)
		})

async function enterPassword({ email }: LoggedIn): Promise<string> {
	const refusal = await logIn(form({ email, password }), request()).catch((error: unknown) => error)
	if (!(refusal instanceof SecondStepRequired)) throw new Error('No second step.', { cause: refusal })
	return refusal.cookie.split(';')[0] ?? ''
}

/** What may begin or continue a visit of a member. */
async function left({ viewer: { id } }: LoggedIn) {
	const { rows } = await sql<{ sessions: number; challenges: number }>`
		select (select count(*)::int from sessions where user_id = ${id}) as sessions,
			(select count(*)::int from login_challenges where user_id = ${id}) as challenges`.execute(db())
	return rows[0]
}

const provider: Provider = {
	...{ name: 'github', label: 'GitHub', registers: false, isPublic: true },
	claims: standardClaims,
}

type Case = [string, (who: LoggedIn) => Promise<[() => Promise<unknown>, () => Promise<unknown>]>, sessions: number]

const cases: Case[] = [
	[
		'a password with a second factor waits for no second step once the password is changed',
		async (who) => {
			await enrol(who.viewer)
			return [() => enterPassword(who), () => change(who)]
		},
		1,
	],
	[
		'a second step begins no session once the password is changed',
		async (who) => {
			const code = await enrol(who.viewer)
			const waiting = await enterPassword(who)
			return [() => finishSecondStep(form({ code }), request(waiting)), () => change(who)]
		},
		1,
	],
	[
		'a passkey begins no session once it is removed',
		async (who) => {
			const authenticator = makeAuthenticator(config().publicUrl)
			const { options } = await beginAdding(who.viewer, form({ name: 'Laptop' }))
			await addPasskey(who.viewer, form({ name: 'Laptop', response: authenticator.make(options.challenge) }))
			const response = authenticator.sign((await beginLogin(null, ip)).challenge)
			return [
				() => logInByPasskey(form({ response }), request(), { viewer: null, ip }),
				() => removing(who, (trx) => resetPasskeys(trx, { id: who.viewer.id, email: who.email })),
			]
		},
		0,
	],
	[
		'a login of another site begins no session once it is removed',
		async (who) => {
			const answer = {
				issuer: 'https://github.com',
				subject: who.email,
				claims: { preferred_username: 'octo' },
				refreshToken: null,
			}
			await linkIdentity(who.viewer, provider, answer)
			return [
				() => logInByIdentity(provider, answer, request()),
				() => removing(who, (trx) => sql`delete from identities where user_id = ${who.viewer.id}`.execute(trx)),
			]
		},
		0,
	],
]

test.each(cases)('%s', async (_what, prepare, sessions) => {
	const who = await member()
	const [enter, end] = await prepare(who)
	const [entered, ended] = await queuedBehind<unknown>(
		// Neither a session nor a wait for the second step can be stored before this ends, as both refer to the member.
		(trx) => sql`select from users where id = ${who.viewer.id} for update`.execute(trx),
		[() => runInRequestScope('late', '', enter), end],
	)
	expect([entered?.status, ended?.status]).toEqual(['rejected', 'fulfilled'])
	expect(await left(who)).toEqual({ sessions, challenges: 0 })
})

test('removing all credentials leaves no session of a login that was under way', async () => {
	const who = await member()
	const answer = { issuer: 'https://github.com', subject: who.email, claims: {}, refreshToken: null }
	await linkIdentity(who.viewer, provider, answer)
	await queuedBehind<unknown>(
		(trx) => sql`select from users where id = ${who.viewer.id} for update`.execute(trx),
		[
			() => runInRequestScope('late', '', () => logInByIdentity(provider, answer, request())),
			() =>
				db()
					.transaction()
					.execute((trx) => removeCredentials(trx, who.viewer.id, true)),
		],
	)
	expect(await left(who)).toEqual({ sessions: 0, challenges: 0 })
})

test.each([
	['was not confirmed', false, { credentials: 1, passkeys: 0, identities: 0, totp_secrets: 0 }],
	['was confirmed', true, { credentials: 1, passkeys: 1, identities: 1, totp_secrets: 1 }],
])('a reset by mail to an address that %s leaves these ways to log in', async (_what, isConfirmed, kept) => {
	const { viewer, email } = await member()
	await sql`update users set email_verified = ${isConfirmed} where id = ${viewer.id}`.execute(db())
	const { options } = await beginAdding(viewer, form({ name: 'Laptop' }))
	const response = makeAuthenticator(config().publicUrl).make(options.challenge)
	await addPasskey(viewer, form({ name: 'Laptop', response }))
	await linkIdentity(viewer, provider, {
		...{ issuer: 'https://github.com', subject: email, claims: {}, refreshToken: null },
	})
	await enrol(viewer)
	await requestPasswordReset(form({ email }), request())
	const token = await mailedToken(email)
	const { hasRemoved } = await resetPassword(form({ token, password: next, confirmPassword: next }), request())
	expect(hasRemoved).toBe(!isConfirmed)
	const { rows } = await sql`
		select (select count(*)::int from credentials where user_id = ${viewer.id} and password is not null) as credentials,
			(select count(*)::int from passkeys where user_id = ${viewer.id}) as passkeys,
			(select count(*)::int from identities where user_id = ${viewer.id}) as identities,
			(select count(*)::int from totp_secrets where user_id = ${viewer.id}) as totp_secrets`.execute(db())
	expect(rows).toEqual([kept])
})

test.each<[string, (who: LoggedIn) => Promise<() => Promise<unknown>>]>([
	['by its owner', async (who) => () => change(who)],
	[
		'by a mailed link',
		async ({ email }) => {
			await requestPasswordReset(form({ email }), request())
			const token = await mailedToken(email)
			return () => resetPassword(form({ token, password: next, confirmPassword: next }), request())
		},
	],
])('a password that is changed %s is stored in the moment in which the other sessions end', async (_who, prepare) => {
	const who = await member()
	await logIn(form({ email: who.email, password }), request())
	const act = await prepare(who)
	const stored = async () => {
		const { rows } = await sql<{ password: string }>`
			select password from credentials where user_id = ${who.viewer.id}`.execute(db())
		return rows[0]?.password
	}
	const before = await stored()
	// What the process leaves if it is killed before the sessions end.
	const [changed, between] = await queuedBehind<unknown>(
		(trx) => sql`select from sessions where user_id = ${who.viewer.id} for update`.execute(trx),
		[act, stored],
	)
	expect([changed?.status, between]).toEqual(['fulfilled', { status: 'fulfilled', value: before }])
	expect(await stored()).not.toBe(before)
})
