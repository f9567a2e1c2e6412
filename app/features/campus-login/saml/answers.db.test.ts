import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import { makeCertificate } from '../../../../tests/support/certificate.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import type { SamlAccount, Tampering } from '../../../../tests/support/saml-site.ts'
import { continueSamlLogin, offerSaml, startSamlLogin, timeFromNow } from '../../../../tests/support/saml-trips.ts'
import { receiveSamlResponse } from './saml-login.server.ts'
import { sweepSamlRequests } from './saml-requests.queries.server.ts'

/* Responses of a SAML identity provider that must be rejected, really signed unless stated otherwise. */

useDatabase()

let saml: Awaited<ReturnType<typeof offerSaml>>

beforeAll(async () => {
	saml = await offerSaml()
})

afterAll(() => saml.campus.stop())

beforeEach(() => void saml.enrolNext())

/** Puts an assertion about the admin beside or around the signed one. */
function wrapped(place: (evil: string, signed: string) => string): Tampering['after'] {
	return (xml) => {
		const [signed = ''] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml) ?? []
		const evil = signed
			.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '')
			.replace(/(<saml:NameID[^>]*>)[^<]*/, '$1victim')
			.replace(/ ID="[^"]*"/, ' ID="_evil"')
		return xml.replace(signed, () => place(evil, signed))
	}
}

const unbelievable = 'gave an answer that cannot be believed'
const foreign = 'is meant for another site'
const badTime = 'has expired, or is not valid yet'
const noEntity = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
const otherKey = makeCertificate(2_048).key

test.each<[string, Tampering, string]>([
	['signed by another key', { key: otherKey }, unbelievable],
	['without a signature', { after: (xml) => xml.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '') }, unbelievable],
	['whose response alone is signed', { signs: 'response' }, unbelievable],
	['changed after it was signed', { after: (xml) => xml.replace(/(<saml:NameID[^>]*>)/, '$1x') }, unbelievable],
	['signed by SHA-1', { isSha1: true }, 'SHA-1'],
	['of another issuer', { values: { Issuer: 'https://other.example/idp' } }, unbelievable],
	['for another audience', { values: { Audience: 'https://other.example' } }, foreign],
	['for another recipient', { values: { SubjectRecipient: 'https://other.example/acs' } }, foreign],
	['for another destination', { values: { Destination: 'https://other.example/acs' } }, foreign],
	['whose conditions are over', { values: { ConditionsNotOnOrAfter: timeFromNow(-61) } }, badTime],
	['whose conditions begin later', { values: { ConditionsNotBefore: timeFromNow(200) } }, badTime],
	['whose bearer came too late', { values: { SubjectConfirmationDataNotOnOrAfter: timeFromNow(-61) } }, badTime],
	['whose bearer may come for ever', { values: { SubjectConfirmationDataNotOnOrAfter: null } }, unbelievable],
	['whose session is over', { sessionEnd: timeFromNow(-1) }, badTime],
	['that nobody asked for', { values: { InResponseTo: null } }, 'sent an answer that nobody here asked for'],
	['to a request of somebody else', { values: { InResponseTo: '_made-up' } }, 'was finished already'],
	['that says no', { values: { StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed' } }, 'may not log in here'],
	[
		'that says it failed',
		{ values: { StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Responder' } },
		'problem of its own',
	],
	['that holds no key of its bearer', { before: (xml) => xml.replace('cm:bearer', 'cm:sender-vouches') }, unbelievable],
	[
		'without an audience',
		{ before: (xml) => xml.replace(/<saml:AudienceRestriction.*<\/saml:AudienceRestriction>/, '') },
		unbelievable,
	],
	['without conditions', { before: (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '') }, unbelievable],
	[
		'that answers two requests',
		{ after: (xml) => xml.replace(/InResponseTo="[^"]*"/, 'InResponseTo="_other"') },
		unbelievable,
	],
	['with a second assertion before', { after: wrapped((evil, signed) => evil + signed) }, unbelievable],
	['with a second assertion after', { after: wrapped((evil, signed) => signed + evil) }, unbelievable],
	[
		'wrapped in an assertion',
		{
			after: wrapped((evil, signed) =>
				evil.replace('<saml:Subject>', `<saml:Advice>${signed}</saml:Advice><saml:Subject>`),
			),
		},
		unbelievable,
	],
	[
		'wrapped under the same id',
		{
			after: wrapped((evil, signed) => {
				const [id = ''] = / ID="[^"]*"/.exec(signed) ?? []
				return evil.replace(' ID="_evil"', id) + signed
			}),
		},
		unbelievable,
	],
	[
		'moved into an extension',
		{ after: wrapped((evil, signed) => `<samlp:Extensions>${signed}</samlp:Extensions>${evil}`) },
		unbelievable,
	],
	['with a comment in the NameID', { after: (xml) => xml.replace(/(<saml:NameID[^>]*>s)/, '$1<!---->') }, unbelievable],
	['with an instruction', { after: (xml) => xml.replace(/(<saml:NameID[^>]*>s)/, '$1<?x?>') }, unbelievable],
	['with an entity', { after: (xml) => noEntity + xml }, unbelievable],
	[
		'that is encrypted',
		{ after: (xml) => xml.replaceAll('saml:Assertion', 'saml:EncryptedAssertion') },
		'encrypts its answers',
	],
	[
		'with too many elements',
		{ after: (xml) => xml.replace('</samlp:Response>', `${'<a/>'.repeat(1_500)}$&`) },
		unbelievable,
	],
	['that is too large', { after: (xml) => xml + ' '.repeat(200_000) }, unbelievable],
	['that is no XML', { after: () => 'no XML' }, unbelievable],
	['that is empty', { after: () => '' }, unbelievable],
])('an answer %s', async (_what, tampering, message) => {
	saml.campus.tampering = tampering
	await expect(saml.trip()).rejects.toMatchObject({ status: 403, message: expect.stringContaining(message) })
	const { rows } = await sql`select from identities where subject like ${`%${saml.campus.visitor}`}`.execute(db())
	expect(rows).toEqual([])
})

test.each<[string, Partial<SamlAccount>, string]>([
	['a transient NameID', { format: 'transient' }, 'another name with each login (a transient NameID)'],
	['an address as NameID', { format: 'emailAddress' }, 'did not say who you are'],
	['an empty NameID', { nameId: '' }, 'did not say who you are'],
	['a NameID that is too long', { nameId: 'x'.repeat(501) }, 'did not say who you are'],
])('%s is no subject', async (_what, account, message) => {
	saml.enrol(saml.campus.visitor, account)
	await expect(saml.trip()).rejects.toThrow(message)
})

test('a response in another browser, and a replay', async () => {
	const begun = await startSamlLogin()
	const form = await saml.campus.visit(begun.url)
	const path = await receiveSamlResponse(form, '')
	// Another browser cannot use it up.
	await expect(continueSamlLogin(path, (await startSamlLogin()).cookies)).rejects.toThrow('was finished already')
	await expect(continueSamlLogin(path, [])).rejects.toThrow('This login was not started in this browser')
	expect(await receiveSamlResponse(form, '')).toBe('/login/saml/callback?refused=used')
	expect((await continueSamlLogin(path, begun.cookies)).message).toBe('Welcome!')
	await expect(continueSamlLogin(path, begun.cookies)).rejects.toThrow('was finished already')
	expect(await receiveSamlResponse(form, '')).toBe('/login/saml/callback?refused=used')
})

test('a response after ten minutes, and a callback after one', async () => {
	const late = await startSamlLogin()
	const form = await saml.campus.visit(late.url)
	await sql`update saml_requests set expires_at = now()`.execute(db())
	expect(await receiveSamlResponse(form, '')).toBe('/login/saml/callback?refused=used')
	const begun = await startSamlLogin()
	const path = await receiveSamlResponse(await saml.campus.visit(begun.url), '')
	await sql`update saml_requests set expires_at = now()`.execute(db())
	await expect(continueSamlLogin(path, begun.cookies)).rejects.toThrow('was finished already')
	await sweepSamlRequests()
	expect((await sql`select from saml_requests`.execute(db())).rows).toEqual([])
})

test('a login that is not offered', async () => {
	const begun = await startSamlLogin()
	const form = await saml.campus.visit(begun.url)
	await saml.save({ isOn: '' })
	const path = await receiveSamlResponse(form, '')
	expect(path).toBe('/login/saml/callback')
	await expect(continueSamlLogin(path, begun.cookies)).rejects.toThrow('This site does not offer this way to log in.')
	await saml.save({})
})
