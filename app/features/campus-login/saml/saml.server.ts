import { X509Certificate } from 'node:crypto'
import type { SAML } from '@node-saml/node-saml'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { newToken } from '~/lib/secrets.server.ts'
import { wantedClaims } from '../claims.server.ts'
import { type ProviderIdentity, ProviderRefused, WRONG_CLOCK } from '../oidc.server.ts'
import { readAssertion, type SamlAssertion } from './assertion.server.ts'

/*
 * SAML 2.0 by the library `@node-saml/node-saml`, which verifies signatures, audience and conditions. This file builds requests, and checks
 * what the library leaves to its caller.
 */

// Loaded at their first use: most sites have no login by SAML.
const library = () => import('@node-saml/node-saml')
const xmlOfLibrary = () => import('@node-saml/node-saml/lib/xml.js')

/** The configuration of an identity provider. */
export interface SamlSettings {
	/** The entity ID of the identity provider. */
	entityId: string
	/** The single sign-on address. */
	address: string
	/** The signing certificates, as {@link certificatesOf} parses them. */
	certificates: string
	/** Empty if the persistent NameID is the subject. */
	subjectAttribute: string
	nameAttribute: string
	usernameAttribute: string
	emailAttribute: string
	/** Empty if roles are not reported. */
	roleAttribute: string
	/** The maximum duration of a session. */
	hours: number
}

/** Characters of a response in Base64; usual ones have some ten thousand. */
const MAX_RESPONSE_LENGTH = 192 * 1024
/** Tags in a response; usual ones have some hundred. The library's search for signed elements takes quadratic time. */
const MAX_TAGS = 1_500
/** Characters of a subject. */
const MAX_SUBJECT_LENGTH = 500
/** Tolerated clock difference in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000

const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol'
const status = 'urn:oasis:names:tc:SAML:2.0:status:'
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const nameIdFormats = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'

/** The groups of a member at Entra, and what it sends instead where they are more than 150. */
const entraGroups = {
	claim: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
	link: 'http://schemas.microsoft.com/claims/groups.link',
}

/** Accepted signature algorithms: SHA-256 or longer, with canonicalization without comments. */
const algorithms: ReadonlySet<string> = new Set([
	'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
	'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
	'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
	'http://www.w3.org/2001/04/xmlenc#sha256',
	'http://www.w3.org/2001/04/xmlenc#sha512',
	'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
	'http://www.w3.org/2001/10/xml-exc-c14n#',
	'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
])

/** Reasons for rejecting a response, as sentences after the provider's name. */
const refusals = {
	unsolicited: 'sent an answer that nobody here asked for. Begin with its button on the login page.',
	used: 'answered a login that was finished already, or was begun more than ten minutes ago. Begin again.',
	invalid: 'gave an answer that cannot be believed, so nobody was logged in. Try again.',
	expired: WRONG_CLOCK,
	elsewhere:
		'gave an answer that is meant for another site. Tell who runs this site: its addresses there are not set right.',
	weak: 'signs its answers in a way that is not safe any more, such as SHA-1. Tell who runs this site: SHA-256 is needed.',
	encrypted:
		'encrypts its answers, which this site cannot read. Tell who runs this site: encryption is to be off for it.',
	transient:
		'gives you another name with each login (a transient NameID), so no account can be found by it. Tell who runs this site: a persistent one is needed, or an attribute that never changes.',
	nobody:
		'did not say who you are. Tell who runs this site: a persistent NameID or the attribute in its settings is missing.',
	denied: 'says that you did not agree, or may not log in here.',
	failing: 'has a problem of its own. Try again later.',
} as const

type Refusal = keyof typeof refusals

/** A rejected login by SAML. @param code from an address, or one of those above */
export function samlError(code: string): ProviderRefused {
	const known = Object.hasOwn(refusals, code) ? (code as Refusal) : 'invalid'
	return new ProviderRefused(refusals[known], known)
}

/** The issuer of an identity provider's identities, distinct from that of an OpenID provider at the same address. */
export function samlIssuer({ entityId }: Pick<SamlSettings, 'entityId'>): string {
	return `saml:${entityId}`
}

function ownAddresses(): { issuer: string; callbackUrl: string } {
	const { publicUrl } = config()
	return { issuer: `${publicUrl}/login/saml/metadata`, callbackUrl: `${publicUrl}/login/saml/acs` }
}

/** The SAML metadata of this site, as XML. */
export async function samlMetadata(): Promise<string> {
	const { generateServiceProviderMetadata } = await library()
	return generateServiceProviderMetadata({
		...ownAddresses(),
		identifierFormat: `${nameIdFormats}persistent`,
		wantAssertionsSigned: true,
	})
}

/** Parses signing certificates: PEM, or the Base64 of one as in metadata. @throws Error with a sentence */
export function certificatesOf(text: string): string[] {
	if (/PRIVATE KEY/.test(text)) throw new Error('This is a private key, which nobody may know. Paste the certificate.')
	const pem = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g
	const blocks = text.match(pem) ?? [Buffer.from(text.replaceAll(/\s/g, ''), 'base64')]
	if (text.includes('-----') && text.replaceAll(pem, '').trim() !== '')
		throw new Error('Paste the whole certificate, from its line BEGIN to its line END, and nothing else.')
	return blocks.map((block) => {
		const certificate = parseCertificate(block)
		const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
		if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < 2_048)
			throw new Error('The certificate has to have an RSA key of 2,048 bits or more.')
		return certificate.toString()
	})
}

/** Parses the metadata of an identity provider. @throws Error with a sentence */
export async function readMetadata(xml: string): Promise<Pick<SamlSettings, 'entityId' | 'address' | 'certificates'>> {
	// Besides comments only document types are left, which may define entities.
	const text = xml.replaceAll(/<!--[\s\S]*?-->/g, '')
	const { parseDomFromString } = await xmlOfLibrary()
	const document = await parseDomFromString(text.includes('<!') ? '' : text).catch(() => null)
	const root = document?.documentElement
	if (root?.localName !== 'EntityDescriptor')
		throw new Error('Paste the whole XML of one login service. It begins with EntityDescriptor.')
	const below = (parent: Element, name: string) => Array.from(parent.getElementsByTagNameNS('*', name))
	const [descriptor] = below(root, 'IDPSSODescriptor')
	const services = descriptor ? below(descriptor, 'SingleSignOnService') : []
	const service = services.find((one) => one.getAttribute('Binding')?.endsWith(':HTTP-Redirect'))
	if (!descriptor || !service) throw new Error('These metadata name no login with the binding HTTP-Redirect.')
	const keys = below(descriptor, 'KeyDescriptor').filter((one) => one.getAttribute('use') !== 'encryption')
	const certificates = keys.flatMap((key) => below(key, 'X509Certificate')).map(({ textContent }) => textContent ?? '')
	return {
		entityId: root.getAttribute('entityID') ?? '',
		address: service.getAttribute('Location') ?? '',
		certificates: [...new Set(certificates.flatMap(certificatesOf))].join(''),
	}
}

function parseCertificate(block: string | Buffer): X509Certificate {
	try {
		return new X509Certificate(block)
	} catch {
		throw new Error('This is not a certificate. Copy it from the metadata of the login service.')
	}
}

async function serviceProvider(settings: SamlSettings, id = newToken()): Promise<SAML> {
	const { SAML } = await library()
	return new SAML({
		...ownAddresses(),
		entryPoint: settings.address,
		idpCert: certificatesOf(settings.certificates),
		identifierFormat: settings.subjectAttribute === '' ? `${nameIdFormats}persistent` : null,
		disableRequestedAuthnContext: true,
		wantAssertionsSigned: true,
		// A signature of the whole response is optional, and verified if present.
		wantAuthnResponseSigned: false,
		acceptedClockSkewMs: CLOCK_TOLERANCE_MS,
		generateUniqueId: () => id,
	})
}

/** A new login: the id of its request, and the address at the identity provider. */
export async function makeSamlRequest(settings: SamlSettings): Promise<{ id: string; url: string }> {
	// An XML id must not start with a digit.
	const id = `_${newToken()}`
	return { id, url: await (await serviceProvider(settings, id)).getAuthorizeUrlAsync('', undefined, {}) }
}

/**
 * Verifies a response: signature, audience, recipient, times and that it answers a request. The caller checks that the request exists and
 * was not answered.
 * @param encoded as posted
 * @throws ProviderRefused
 */
export async function readSamlResponse(
	settings: SamlSettings,
	encoded: string,
): Promise<{ requestId: string; answer: ProviderIdentity }> {
	try {
		const inResponseTo = await lookAtResponse(encoded)
		const provider = await serviceProvider(settings)
		const { profile } = await provider.validatePostResponseAsync({ SAMLResponse: encoded })
		const assertion = readAssertion(profile?.getAssertion?.())
		if (assertion.issuer !== settings.entityId) throw new Error('another issuer')
		const requestId = confirmedRequest(assertion)
		if (inResponseTo !== '' && inResponseTo !== requestId) throw new Error('the response answers another request')
		const subject = subjectOf(assertion, settings)
		const endsAt = sessionEnd(assertion, settings)
		const claims = claimsOf(assertion, settings)
		return { requestId, answer: { issuer: samlIssuer(settings), subject, claims, refreshToken: null, endsAt } }
	} catch (error) {
		throw explained(error)
	}
}

/**
 * Rejects suspicious responses before any signature is verified.
 * @returns the request that the response names, unsigned; empty without one
 */
async function lookAtResponse(encoded: string): Promise<string> {
	const xml = encoded.length > MAX_RESPONSE_LENGTH ? '' : Buffer.from(encoded, 'base64').toString('utf8')
	if (xml === '' || xml.split('<').length > MAX_TAGS) throw new Error('nothing, or too large')
	// Document types and entities, comments that split a name, and processing instructions.
	if (/<!|<\?(?!xml\s)/.test(xml)) throw new Error('a document type, a comment or an instruction')
	const { parseDomFromString } = await xmlOfLibrary()
	const document = await parseDomFromString(xml)
	const response = document.documentElement
	if (response.localName !== 'Response' || response.namespaceURI !== protocol) throw new Error('no response')
	const elements = Array.from(document.getElementsByTagName('*'))
	const named = (name: string) => elements.filter(({ localName }) => localName === name)
	const valuesOf = (name: string, of = elements) =>
		of.filter((one) => one.hasAttribute(name)).map((one) => one.getAttribute(name) ?? '')
	if (elements.some(({ localName }) => localName.startsWith('Encrypted'))) throw samlError('encrypted')
	requireSuccess(valuesOf('Value', named('StatusCode')))
	if (!valuesOf('Algorithm').every((name) => algorithms.has(name))) throw samlError('weak')
	if (named('Response').length > 1 || named('Assertion').length !== 1) throw new Error('not one assertion')
	const ids = valuesOf('ID')
	if (new Set(ids).size < ids.length) throw new Error('an id twice')
	const [destination = ownAddresses().callbackUrl] = valuesOf('Destination', [response])
	if (destination !== ownAddresses().callbackUrl) throw samlError('elsewhere')
	return response.getAttribute('InResponseTo') ?? ''
}

/** @param codes the status code and its subcode */
function requireSuccess(codes: readonly string[]): void {
	if (codes[0] === `${status}Success`) return
	if (codes.includes(`${status}InvalidNameIDPolicy`)) throw samlError('nobody')
	const isDenied = ['AuthnFailed', 'RequestDenied', 'UnknownPrincipal'].some((code) => codes.includes(status + code))
	throw samlError(isDenied ? 'denied' : 'failing')
}

/** The request named in the signed part, if that is for this site and valid now. */
function confirmedRequest({ confirmations }: SamlAssertion): string {
	const confirmation = confirmations.find(({ method }) => method === bearer)
	if (confirmations.length !== 1 || !confirmation) throw new Error('not confirmed by its bearer')
	const { recipient, inResponseTo, notBefore, notOnOrAfter } = confirmation
	if (recipient !== ownAddresses().callbackUrl) throw samlError('elsewhere')
	const starts = notBefore === undefined ? 0 : Date.parse(notBefore)
	const isNow = starts - CLOCK_TOLERANCE_MS <= Date.now() && Date.now() < endOf(notOnOrAfter)
	if (!isNow) throw samlError('expired')
	if (!inResponseTo) throw samlError('unsolicited')
	return inResponseTo
}

/** The end of validity, with tolerance, in milliseconds since 1970; NaN for an invalid time. */
function endOf(time: string | undefined): number {
	return Date.parse(time ?? '') + CLOCK_TOLERANCE_MS
}

/**
 * The subject by which an account is found. It includes the attribute's name: if another attribute is configured, its values may be those
 * of other people in the former one.
 */
function subjectOf({ nameId, attributes }: SamlAssertion, { subjectAttribute }: SamlSettings): string {
	const { value = '', format = '' } = nameId ?? {}
	if (subjectAttribute === '' && format === `${nameIdFormats}transient`) throw samlError('transient')
	const values = attributes.get(subjectAttribute) ?? []
	const isPersistent = format === `${nameIdFormats}persistent`
	const [found = ''] = subjectAttribute === '' ? [isPersistent ? value : ''] : values.length === 1 ? values : []
	if (found === '' || found.length > MAX_SUBJECT_LENGTH) throw samlError('nobody')
	return subjectAttribute === '' ? found : `${subjectAttribute}: ${found}`
}

/** The end of the session; ISO 8601 in UTC. */
function sessionEnd({ sessionEnds }: SamlAssertion, { hours }: SamlSettings): string {
	const ends = sessionEnds.map((time) => Date.parse(time))
	if (!ends.every((end) => end > Date.now())) throw samlError('expired')
	return new Date(Math.min(Date.now() + hours * 3_600_000, ...ends)).toISOString()
}

function claimsOf({ attributes }: SamlAssertion, settings: SamlSettings): Record<string, unknown> {
	const { nameAttribute, usernameAttribute, emailAttribute, roleAttribute } = settings
	const first = [nameAttribute, usernameAttribute, emailAttribute].map((name) => [name, attributes.get(name)?.[0]])
	const lists = [...wantedClaims(), roleAttribute].map((name) => [name, attributes.get(name) ?? []])
	const elsewhere = attributes.has(entraGroups.link) ? { _claim_names: { [entraGroups.claim]: entraGroups.link } } : {}
	return { ...Object.fromEntries([...lists, ...first]), ...elsewhere }
}

/** Errors of the library are logged, not shown. */
function explained(error: unknown): ProviderRefused {
	if (error instanceof ProviderRefused) return error
	const reason = error instanceof Error ? error.message : String(error)
	log.warn({ reason }, 'a SAML response was rejected')
	if (/expired|not yet valid/i.test(reason)) return samlError('expired')
	return samlError(/audience mismatch/i.test(reason) ? 'elsewhere' : 'invalid')
}
