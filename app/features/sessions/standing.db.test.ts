import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { beginTotpSetup, finishTotpSetup, getSecondFactor } from '~/features/authenticators/second-factor.server.ts'
import { standardClaims } from '~/features/campus-login/claims.server.ts'
import { linkIdentity } from '~/features/campus-login/linked-logins.server.ts'
import type { Provider } from '~/features/campus-login/providers.server.ts'
import { swapEmails } from '~/features/identity/emails/emails.server.ts'
import { addPasskey, beginAdding } from '~/features/passkeys/passkeys.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { runInRequestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { type LoggedIn, registerAndLogIn } from '../../../tests/support/account.ts'
import { makeAuthenticator } from '../../../tests/support/authenticator.ts'
import { form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { resetCounts, useJobTables } from '../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { endAllAccess } from './sessions.server.ts'

useDatabase()
useJobTables()

let made = 0

/** A member who has just logged in, with a personal address. */
async function member(): Promise<LoggedIn> {
	made += 1
	await resetCounts()
	const holder = await registerAndLogIn(`Holder ${made}`)
	await sql`update users set second_email = ${secondOf(holder.viewer)} where id = ${holder.viewer.id}`.execute(db())
	return holder
}

const secondOf = ({ username }: SignedIn) => `${username}@home.example`

/** By what a member can be reached or log in, besides the password. */
async function holdings({ id }: SignedIn) {
	const { rows } = await sql`
		select email, second_factor, (select count(*)::int from access_tokens where user_id = users.id) as tokens,
			(select count(*)::int from passkeys where user_id = users.id) as passkeys,
			(select count(*)::int from identities where user_id = users.id) as identities
		from users where id = ${id}`.execute(db())
	return rows[0]
}

const provider: Provider = {
	...{ name: 'github', label: 'GitHub', registers: false, isPublic: true },
	claims: standardClaims,
}

/** What a member may add by a confirmed session; `prepare` does what earlier requests do. */
const additions: [string, (viewer: SignedIn) => Promise<() => Promise<unknown>>][] = [
	['a token', async (viewer) => () => makeToken(viewer, { name: 'Backup', scopes: ['read'], days: 30 })],
	[
		'a passkey',
		async (viewer) => {
			const { options } = await beginAdding(viewer, form({ name: 'Laptop' }))
			const response = makeAuthenticator(config().publicUrl).make(options.challenge)
			return () => addPasskey(viewer, form({ name: 'Laptop', response }))
		},
	],
	[
		'a login of another site',
		async (viewer) => {
			const answer = {
				issuer: 'https://github.com',
				subject: '4711',
				claims: { preferred_username: 'octo' },
				refreshToken: null,
			}
			return () => linkIdentity(viewer, provider, answer)
		},
	],
	[
		'an authenticator app',
		async (viewer) => {
			await beginTotpSetup(viewer)
			const { setup } = await getSecondFactor(viewer)
			const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') })
			return () => finishTotpSetup(viewer, form({ code: totp.generate() }))
		},
	],
	['another first address', async (viewer) => () => swapEmails(viewer, secondOf(viewer))],
]

test.each(additions)('%s is not added by a session that ends meanwhile', async (_what, prepare) => {
	const { viewer, cookie } = await member()
	const add = await prepare(viewer)
	const before = await holdings(viewer)
	const [added] = await queuedBehind<unknown>(
		(trx) => sql`select from users where id = ${viewer.id} for no key update`.execute(trx),
		[
			() =>
				runInRequestScope('request', '', async () => {
					await requireConfirmed(viewer, request(cookie))
					return add()
				}),
			// As when the password is reset by mail.
			() => endAllAccess(db(), viewer.id),
		],
	)
	expect(added).toMatchObject({
		status: 'rejected',
		reason: { status: 403, message: expect.stringContaining('ended') },
	})
	expect(await holdings(viewer)).toEqual(before)
})

test('what a session adds before it ends is found by whoever ends all access', async () => {
	const { viewer, cookie } = await member()
	const [added, ended] = await queuedBehind<unknown>(
		// The token is stored, and its mail waits.
		(trx) => sql.raw('lock table graphile_worker._private_jobs in exclusive mode').execute(trx),
		[
			() =>
				runInRequestScope('request', '', async () => {
					await requireConfirmed(viewer, request(cookie))
					return makeToken(viewer, { name: 'Backup', scopes: ['read'], days: 30 })
				}),
			() => endAllAccess(db(), viewer.id),
		],
	)
	expect([added?.status, ended?.status]).toEqual(['fulfilled', 'fulfilled'])
	expect(await holdings(viewer)).toMatchObject({ tokens: 0 })
})
