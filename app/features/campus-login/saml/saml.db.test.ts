import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { loginMethods } from '~/features/accounts/login-methods.server.ts'
import { Conflict, Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { cookiePairs } from '../../../../tests/support/browser.ts'
import { makeCertificate } from '../../../../tests/support/certificate.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { viewerWithCookies } from '../../../../tests/support/login-visits.ts'
import type { Tampering } from '../../../../tests/support/saml-site.ts'
import { attributeNames, offerSaml, timeFromNow } from '../../../../tests/support/saml-trips.ts'
import { setUpApp, submitCode } from '../../../../tests/support/second-factor.ts'
import { registerIdentityUses } from '../claims.server.ts'
import { listLogins, unlinkIdentity } from '../linked-logins.server.ts'
import { endOverdueSessions } from '../session-checks.server.ts'

/* Logins by a SAML identity provider that really signs; rejected responses are in answers.db.test.ts. */

useDatabase()

const { mail, uid, affiliation } = attributeNames
let saml: Awaited<ReturnType<typeof offerSaml>>
let made = 0

beforeAll(async () => {
	saml = await offerSaml()
})

afterAll(() => saml.campus.stop())

beforeEach(() => {
	made = saml.enrolNext()
})

async function identitiesOf({ id }: SignedIn) {
	const { rows } = await sql`select issuer, subject, name, affiliation from identities where user_id = ${id}`.execute(
		db(),
	)
	return rows
}

describe('logging in', () => {
	test('the first login creates the account, by the rules of registration; later ones find it by its persistent NameID', async () => {
		saml.enrol(saml.campus.visitor, { attributes: { [affiliation]: ['member', 'Staff'] } })
		const first = await saml.trip()
		expect(first).toMatchObject({ message: 'Welcome!', redirectTo: '/forum' })
		const member = (await viewerWithCookies(first.cookies)) as SignedIn
		expect(member).toMatchObject({ username: `student${made}`, name: `Student ${made}`, role: 'member' })
		expect(await identitiesOf(member)).toEqual([
			{
				issuer: `saml:${saml.campus.entityId}`,
				subject: saml.campus.visitor,
				name: `student${made}`,
				affiliation: 'staff',
			},
		])
		// Address and username at the campus may change, or pass to somebody else.
		saml.enrol(saml.campus.visitor, { attributes: { [mail]: 'married@eastmere.example', [uid]: 'other' } })
		const again = await saml.trip()
		expect([again.message, (await viewerWithCookies(again.cookies))?.id]).toEqual(['Welcome back!', member.id])
	})

	test('two concurrent first logins yield the same member', async () => {
		const both = await Promise.all([saml.trip(), saml.trip()])
		const [one, other] = await Promise.all(both.map(({ cookies }) => viewerWithCookies(cookies)))
		expect([one?.id, both.filter(({ message }) => message === 'Welcome!').length]).toEqual([other?.id, 1])
	})

	test('an address never opens an existing account', async () => {
		const owner = (await viewerWithCookies((await saml.trip()).cookies)) as SignedIn
		saml.enrol(`someone-else-${made}`)
		await expect(saml.trip()).rejects.toThrow(
			`There is already an account with the address student${made}@eastmere.example, and another`,
		)
		expect(await identitiesOf(owner)).toHaveLength(1)
	})

	test('an attribute can be the subject; another attribute with the same value is somebody else', async () => {
		await saml.save({ subjectAttribute: 'pairwise-id' })
		saml.enrol('x', { format: 'transient', attributes: { 'pairwise-id': `p-${made}` } })
		const member = (await viewerWithCookies((await saml.trip()).cookies)) as SignedIn
		expect(await identitiesOf(member)).toMatchObject([{ subject: `pairwise-id: p-${made}` }])
		saml.enrol('y', { format: 'transient', attributes: { 'pairwise-id': `p-${made}` } })
		expect((await viewerWithCookies((await saml.trip()).cookies))?.id).toBe(member.id)
		await saml.save({ subjectAttribute: 'number' })
		saml.enrol('z', { attributes: { number: `p-${made}` } })
		await expect(saml.trip()).rejects.toThrow('There is already an account')
		saml.enrol('z', { attributes: { number: ['1', '2'] } })
		await expect(saml.trip()).rejects.toThrow('did not say who you are')
		await saml.save({})
	})

	test.each<[string, Tampering]>([
		['the response is signed as well', { signs: 'both' }],
		[
			'the clocks differ by half a minute',
			{ values: { ConditionsNotBefore: timeFromNow(30), IssueInstant: timeFromNow(30) } },
		],
	])('%s', async (_what, tampering) => {
		saml.campus.tampering = tampering
		expect((await saml.trip()).message).toBe('Welcome!')
	})

	test('keys can be rotated without an interruption', async () => {
		const next = makeCertificate(2_048)
		await saml.save({ certificates: `${saml.campus.certificate}\n${next.cert}` })
		expect((await saml.trip()).message).toBe('Welcome!')
		saml.campus.tampering = { key: next.key }
		expect((await saml.trip()).message).toBe('Welcome back!')
		await saml.save({})
	})

	test('features read attributes at each login, unless the provider only refers to them', async () => {
		const seen: unknown[] = []
		const [groups, link] = ['ws/2008/06/identity/claims/groups', 'claims/groups.link'].map(
			(path) => `http://schemas.microsoft.com/${path}`,
		)
		const names = ['member-of', mail, 'none', String(groups)]
		registerIdentityUses([
			{
				name: 'reader',
				identityUse: {
					wants: () => names,
					used: async ({ provider, isLogin, values }) => void seen.push([provider, isLogin, ...names.map(values)]),
				},
			},
		])
		saml.enrol(saml.campus.visitor, {
			attributes: { 'member-of': ['a', 'b'], [String(link)]: 'https://graph.example' },
		})
		await saml.trip()
		expect(seen).toEqual([['saml', true, ['a', 'b'], [`student${made}@eastmere.example`], [], null]])
		registerIdentityUses([])
	})

	test('an unconfirmed address creates no account if addresses must be confirmed', async () => {
		await saml.save({ trustsEmail: '' })
		const confirming = vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get')
		confirming.mockReturnValue(true)
		await expect(saml.trip()).rejects.toThrow(
			`The university login does not say that student${made}@eastmere.example is yours.`,
		)
		confirming.mockRestore()
		await saml.save({ trustsEmail: 'on' })
		saml.enrol(saml.campus.visitor, { attributes: { [mail]: '' } })
		await expect(saml.trip()).rejects.toThrow('No email address came with this login')
	})
})

describe('the duration of a session', () => {
	const endOf = async (member: SignedIn) => {
		const { rows } = await sql<{ at: Date }>`
			select ends_at as at from provider_sessions join sessions on sessions.id = session_id
			where user_id = ${member.id} order by session_id desc`.execute(db())
		return Math.round(((rows[0]?.at.getTime() ?? 0) - Date.now()) / 60_000)
	}

	test('is that of the settings, or until the session at the campus ends', async () => {
		const { cookies } = await saml.trip()
		const member = (await viewerWithCookies(cookies)) as SignedIn
		expect(await endOf(member)).toBe(720)
		saml.campus.tampering = { sessionEnd: timeFromNow(3_600) }
		const shorter = await saml.trip()
		expect(await endOf(member)).toBe(60)
		saml.campus.tampering = { sessionEnd: timeFromNow(86_400) }
		const longer = await saml.trip()
		expect(await endOf(member)).toBe(720)
		await sql`update provider_sessions set ends_at = now() where session_id = (
			select min(id) from sessions where user_id = ${member.id})`.execute(db())
		await endOverdueSessions()
		expect(
			await Promise.all(
				[cookies, shorter.cookies, longer.cookies].map(async (one) => (await viewerWithCookies(one))?.id),
			),
		).toEqual([undefined, member.id, member.id])
	})

	test('is not extended by a second step', async () => {
		const member = (await viewerWithCookies((await saml.trip()).cookies)) as SignedIn
		const code = await setUpApp(member)
		await sql`delete from sessions where user_id = ${member.id}`.execute(db())
		const waiting: unknown = await saml.trip().catch((error: unknown) => error)
		if (!(waiting instanceof SecondStepRequired)) throw waiting
		const { headers } = await submitCode(code(), waiting.cookie)
		expect([(await viewerWithCookies(cookiePairs(headers)))?.id, await endOf(member)]).toEqual([member.id, 720])
	})
})

describe('linking', () => {
	test('a member links it, logs in with it, and cannot unlink the last login method', async () => {
		const { cookies } = await saml.trip()
		const member = (await viewerWithCookies(cookies)) as SignedIn
		const [own] = (await listLogins(member)).linked
		expect(own).toMatchObject({ title: 'The university login', name: `student${made}` })
		await expect(unlinkIdentity(member, own?.id ?? 0, 0)).rejects.toThrow('your only way to log in')
		await sql`delete from identities where user_id = ${member.id}`.execute(db())
		await expect(saml.trip({ linkTo: member.id })).rejects.toThrow('You were logged out in the meantime')
		await saml.trip({ linkTo: member.id, has: cookies })
		expect((await viewerWithCookies((await saml.trip()).cookies))?.id).toBe(member.id)
	})
})

describe('the form', () => {
	const { cert: elliptic, key } = makeCertificate()
	const short = makeCertificate(1_024).cert
	test.each<[string, Record<string, string>, string, RegExp]>([
		['no entity ID', { entityId: '' }, 'entityId', /needs this/],
		['an address without TLS', { address: 'http://idp.eastmere.example/sso' }, 'address', /https:/],
		['no certificate', { certificates: '' }, 'certificates', /needs this/],
		['a text', { certificates: 'certificate' }, 'certificates', /not a certificate/],
		['a private key', { certificates: key }, 'certificates', /private key/],
		['half a certificate', { certificates: elliptic.slice(0, 200) }, 'certificates', /whole certificate/],
		['a key of elliptic curves', { certificates: elliptic }, 'certificates', /RSA key/],
		['a short key', { certificates: short }, 'certificates', /RSA key of 2,048/],
		['no attribute with the address', { emailAttribute: '' }, 'emailAttribute', /needs this/],
		['no time', { hours: '0' }, 'hours', /from 1 to 720/],
	])('refuses %s at its field', async (_what, input, field, message) => {
		const error: unknown = await saml.save(input).catch((refusal: unknown) => refusal)
		expect(error).toBeInstanceOf(Invalid)
		expect((error as Invalid).fields).toMatchObject({ [field]: expect.stringMatching(message) })
	})

	const empty = { entityId: '', address: '', certificates: '' }
	test('the metadata of the identity provider replace three fields', async () => {
		const metadata = saml.campus.metadata()
		await saml.save({ ...empty, metadata: `<!-- of Eastmere -->${metadata}` })
		expect((await saml.trip()).message).toBe('Welcome!')
		for (const [text, message] of [
			['entity', /^Paste the whole XML/],
			[`<!DOCTYPE x>${metadata}`, /^Paste the whole XML/],
			[metadata.replaceAll('EntityDescriptor', 'EntitiesDescriptor'), /^Paste the whole XML/],
			[metadata.replaceAll('HTTP-Redirect', 'HTTP-POST'), /HTTP-Redirect/],
			[metadata.replaceAll('http://127.0.0.1', 'http://idp.example'), /https:/],
			[metadata.replaceAll('KeyDescriptor', 'Key'), /needs this/],
			[metadata.replace(/entityID="[^"]*"/, ''), /needs this/],
		] as const) {
			const error: unknown = await saml.save({ ...empty, metadata: text }).catch((refusal: unknown) => refusal)
			expect((error as Invalid).fields, text).toMatchObject({ metadata: expect.stringMatching(message) })
		}
		const both = saml.save({ metadata })
		await expect(both).rejects.toMatchObject({ fields: { entityId: expect.stringMatching(/^Leave this empty/) } })
		await saml.save({})
	})

	test('a certificate can be pasted as in metadata; it can be the only login once an admin has logged in with it', async () => {
		await saml.save({ certificates: saml.campus.certificate.replaceAll(/-----.*-----/g, '') })
		await expect(saml.save({ onlyWay: 'on' })).rejects.toThrow(Conflict)
		const member = (await viewerWithCookies((await saml.trip()).cookies)) as SignedIn
		await sql`update users set role = 'admin' where id = ${member.id}`.execute(db())
		await saml.save({ onlyWay: 'on' })
		expect(loginMethods()).toEqual({
			buttons: [{ name: 'saml', label: 'Log in through your university' }],
			hasPasswords: false,
		})
		await saml.save({})
	})

	test('where it is the only login, nobody is told to use a password', async () => {
		const member = (await viewerWithCookies((await saml.trip()).cookies)) as SignedIn
		await sql`update users set role = 'admin' where id = ${member.id}`.execute(db())
		saml.enrol(`someone-else-${made}`)
		const opened = 'and another account of the university login opens it.'
		for (const [registers, advice, withoutPasswords] of [
			['on', opened, opened],
			[
				'',
				'. Log in another way, and link it in your settings.',
				'. Passwords are switched off on this site, so ask an admin for help.',
			],
		] as const) {
			await saml.save({ registers })
			await expect(saml.trip()).rejects.toThrow(advice)
			await saml.save({ registers, onlyWay: 'on' })
			await expect(saml.trip()).rejects.toThrow(withoutPasswords)
		}
		const [own] = (await listLogins(member)).linked
		await expect(unlinkIdentity(member, own?.id ?? 0, 0)).rejects.toThrow('log in. Link another account first.')
		await saml.save({ registers: 'on' })
	})
})
