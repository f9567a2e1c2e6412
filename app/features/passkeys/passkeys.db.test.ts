import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { registerLoginMethods } from '~/features/accounts/login-methods.server.ts'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { Conflict, Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { db } from '~/platform/db/db.server.ts'
import { type LoggedIn, registerAndLogIn, viewerOfCookie } from '../../../tests/support/account.ts'
import { type Claims, makeAuthenticator } from '../../../tests/support/authenticator.ts'
import { cookiesOf, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { resetCounts, sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { arePasskeysSupported } from './ceremonies.server.ts'
import { passkeys } from './passkeys.feature.server.ts'
import { sweepChallenges } from './passkeys.queries.server.ts'
import {
	addPasskey,
	beginAdding,
	beginConfirming,
	beginLogin,
	confirmByPasskey,
	listPasskeys,
	logInByPasskey,
	removePasskey,
	renamePasskey,
} from './passkeys.server.ts'

useDatabase()
useJobTables()
beforeEach(resetCounts)

const ip = '198.51.100.7'
const caller = { viewer: null, ip }

let count = 0

function member(): Promise<LoggedIn> {
	count += 1
	return registerAndLogIn(`Keeper ${count}`)
}

async function keeper() {
	const owner = await member()
	const authenticator = makeAuthenticator(config().publicUrl)
	const { options } = await beginAdding(owner.viewer, form({ name: 'Laptop' }))
	await addPasskey(owner.viewer, form({ name: 'Laptop', response: authenticator.make(options.challenge) }))
	return { ...owner, authenticator }
}

const challenge = async () => (await beginLogin(null, ip)).challenge
const enter = (response: string) => logInByPasskey(form({ response }), request(), caller)

test('a member adds a passkey, logs in with it without a code, renames and removes it', async () => {
	const { viewer, email, authenticator } = await keeper()
	await sql`update users set second_factor = true where id = ${viewer.id}`.execute(db())
	const { headers, isLeaving } = await enter(authenticator.sign(await challenge()))
	expect(isLeaving).toBe(false)
	expect(await viewerOfCookie(cookiesOf(headers))).toMatchObject({ id: viewer.id })
	const [passkey] = await listPasskeys(viewer)
	expect(passkey).toMatchObject({ name: 'Laptop', usedAt: expect.any(String) })
	const id = String(passkey?.id)
	await renamePasskey(viewer, form({ id, name: ' Desk ' }))
	expect(await listPasskeys(viewer)).toMatchObject([{ name: 'Desk' }])
	await removePasskey(viewer, form({ id }))
	expect(await listPasskeys(viewer)).toEqual([])
	const subjects = (await sentMails(email)).map(({ subject }) => subject)
	expect(subjects.filter((subject) => subject.includes('passkey'))).toEqual([
		expect.stringContaining('A passkey was added'),
		expect.stringContaining('A passkey was removed'),
	])
})

describe('a login is rejected', () => {
	const wrong: [string, Claims][] = [
		['of another origin', { origin: 'http://elsewhere.example' }],
		['for another relying party', { rpId: 'elsewhere.example' }],
		['without user verification', { isVerified: false }],
	]
	test.each(wrong)('%s', async (_what, claims) => {
		const { authenticator } = await keeper()
		await expect(enter(authenticator.sign(await challenge(), claims))).rejects.toThrow('This passkey was not accepted.')
		await enter(authenticator.sign(await challenge()))
	})

	test('with a counter that does not increase', async () => {
		const { authenticator } = await keeper()
		await enter(authenticator.sign(await challenge(), { counter: 9 }))
		for (const counter of [8, 9])
			await expect(enter(authenticator.sign(await challenge(), { counter }))).rejects.toThrow(NotAllowed)
		await enter(authenticator.sign(await challenge(), { counter: 10 }))
	})

	test('when it is replayed, even concurrently', async () => {
		const { authenticator } = await keeper()
		const response = authenticator.sign(await challenge())
		const outcomes = await Promise.allSettled([enter(response), enter(response), enter(response)])
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		await expect(enter(response)).rejects.toThrow('This took too long, or was sent before.')
	})

	test('after five minutes, when the challenge has expired', async () => {
		const { authenticator } = await keeper()
		const [late, inTime] = [await challenge(), await challenge()]
		await sql`update passkey_challenges set expires_at = expires_at - interval '299 seconds'`.execute(db())
		await enter(authenticator.sign(inTime))
		await sql`update passkey_challenges set expires_at = expires_at - interval '1 second'`.execute(db())
		await expect(enter(authenticator.sign(late))).rejects.toThrow('This took too long')
		await challenge()
		await sql`update passkey_challenges set expires_at = now() - interval '1 second'`.execute(db())
		await sweepChallenges()
		expect((await sql`select from passkey_challenges`.execute(db())).rows).toHaveLength(0)
	})

	test('with a challenge for another purpose, or a forged one', async () => {
		const { viewer, authenticator } = await keeper()
		const others = [(await beginConfirming(viewer)).challenge, Buffer.from('made up').toString('base64url')]
		for (const other of others) await expect(enter(authenticator.sign(other))).rejects.toThrow(NotAllowed)
	})

	test('with a removed passkey', async () => {
		const { viewer, authenticator } = await keeper()
		const signed = authenticator.sign(await challenge())
		await removePasskey(viewer, form({ id: String((await listPasskeys(viewer))[0]?.id) }))
		await expect(enter(signed)).rejects.toThrow('This passkey was not accepted.')
	})

	test.each(['', '{', '{}', '{"id":1}', 'null'])('with %j instead of a signature', async (response) => {
		await expect(enter(response)).rejects.toThrow(Invalid)
	})

	test('with another key under the same id', async () => {
		const [one, other] = [await keeper(), await keeper()]
		const asked = await challenge()
		const { id, rawId } = JSON.parse(one.authenticator.sign(asked))
		const forged = JSON.stringify({ ...JSON.parse(other.authenticator.sign(asked)), id, rawId })
		await expect(enter(forged)).rejects.toThrow('This passkey was not accepted.')
	})
})

test('a suspended member can log in but not write; a leaving one is offered to keep the account', async () => {
	const { viewer, authenticator } = await keeper()
	await sql`update users set suspended_until = 'infinity', suspended_reason = 'spam' where id = ${viewer.id}`.execute(
		db(),
	)
	const { headers } = await enter(authenticator.sign(await challenge()))
	expect(await viewerOfCookie(cookiesOf(headers))).toMatchObject({ id: viewer.id })
	await expect(requireMayWrite(viewer.id)).rejects.toThrow('permanently suspended')
	await sql`update users set suspended_until = null, leaves_at = now() + interval '1 day' where id = ${viewer.id}`.execute(
		db(),
	)
	expect(await enter(authenticator.sign(await challenge()))).toMatchObject({ isLeaving: true })
})

test('a required confirmation of the address applies to passkeys too', async () => {
	const { viewer, authenticator } = await keeper()
	await sql`update users set email_verified = false where id = ${viewer.id}`.execute(db())
	const settings = config()
	const before = settings.REQUIRE_EMAIL_VERIFICATION
	settings.REQUIRE_EMAIL_VERIFICATION = true
	try {
		await expect(enter(authenticator.sign(await challenge()))).rejects.toThrow('is not confirmed yet')
	} finally {
		settings.REQUIRE_EMAIL_VERIFICATION = before
	}
	await enter(authenticator.sign(await challenge()))
})

test('with campus login only, passkeys can neither be added nor log in', async () => {
	const { viewer, authenticator } = await keeper()
	const signed = authenticator.sign(await challenge())
	registerLoginMethods([{ name: 'campus', loginMethods: { buttons: () => [], onlyWay: () => 'Eastmere account' } }])
	try {
		expect(passkeys.loginMethods?.buttons()).toEqual([])
		for (const refused of [enter(signed), challenge(), beginAdding(viewer, form({ name: 'x' }))])
			await expect(refused).rejects.toThrow('Use “Eastmere account” on the login page.')
	} finally {
		registerLoginMethods([passkeys])
	}
	await enter(signed)
})

test('a passkey confirms only sessions of its member', async () => {
	const [owner, other] = [await keeper(), await keeper()]
	const { viewer, cookie, authenticator } = owner
	await sql`update sessions set confirmed_at = now() - interval '1 hour'`.execute(db())
	const asked = async () => (await beginConfirming(viewer)).challenge
	const confirm = (response: string) => confirmByPasskey(viewer, form({ response }), request(cookie))
	await expect(confirm(other.authenticator.sign(await asked()))).rejects.toThrow(NotAllowed)
	const foreign = (await beginConfirming(other.viewer)).challenge
	await expect(confirm(authenticator.sign(foreign))).rejects.toThrow(NotAllowed)
	await expect(requireConfirmed(viewer, request(cookie))).rejects.toThrow()
	await confirm(authenticator.sign(await asked()))
	expect(await requireConfirmed(viewer, request(cookie))).toEqual(expect.any(Number))
	await expect(beginConfirming((await member()).viewer)).rejects.toThrow(Conflict)
})

describe('adding a passkey', () => {
	test.each<[string, Claims]>([
		['another origin', { origin: 'http://elsewhere.example' }],
		['another relying party', { rpId: 'elsewhere.example' }],
		['no user verification', { isVerified: false }],
	])('is refused with %s', async (_what, claims) => {
		const { viewer } = await member()
		const { options } = await beginAdding(viewer, form({ name: 'x' }))
		const response = makeAuthenticator(config().publicUrl).make(options.challenge, claims)
		await expect(addPasskey(viewer, form({ name: 'x', response }))).rejects.toThrow(NotAllowed)
		expect(await listPasskeys(viewer)).toEqual([])
	})

	test('rejects a challenge of another member, a duplicate, and a twenty-first passkey', async () => {
		const [{ viewer, authenticator }, other] = [await keeper(), await member()]
		const asked = async (who = viewer) => (await beginAdding(who, form({ name: 'x' }))).options.challenge
		const add = (response: string) => addPasskey(viewer, form({ name: 'x', response }))
		const fresh = () => makeAuthenticator(config().publicUrl)
		await expect(add(fresh().make(await asked(other.viewer)))).rejects.toThrow(NotAllowed)
		await expect(add(authenticator.make(await asked()))).rejects.toThrow('already stored')
		await sql`insert into passkeys (user_id, credential_id, public_key, name)
			select ${viewer.id}, 'more' || n, '', 'x' from generate_series(1, 18) n`.execute(db())
		const [one, two] = [await asked(), await asked()]
		const outcomes = await Promise.allSettled([add(fresh().make(one)), add(fresh().make(two))])
		expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		await expect(asked()).rejects.toThrow('You can have 20 passkeys.')
	})

	test('other members can neither rename nor remove it', async () => {
		const [{ viewer }, other] = [await keeper(), await member()]
		const id = String((await listPasskeys(viewer))[0]?.id)
		await expect(renamePasskey(other.viewer, form({ id, name: 'mine' }))).rejects.toThrow(NotFound)
		for (const wrong of [id, 'x', '9999999999'])
			await expect(removePasskey(other.viewer, form({ id: wrong }))).rejects.toThrow(NotFound)
		expect(await listPasskeys(viewer)).toMatchObject([{ name: 'Laptop' }])
	})
})

test.each([
	['https://campus.example', true],
	['http://localhost:3000', true],
	['http://campus.example', false],
	['https://192.0.2.7', false],
	['https://[2001:db8::7]', false],
	['http://127.0.0.1:3000', false],
])('a site at %s offers passkeys: %s', (address, expected) => {
	expect(arePasskeysSupported(address)).toBe(expected)
})
