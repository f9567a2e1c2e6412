import { X509Certificate } from 'node:crypto'
import { generateServiceProviderMetadata, SAML } from '@node-saml/node-saml'
import { parseDomFromString } from '@node-saml/node-saml/lib/xml.js'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { newToken } from '~/lib/secrets.server.ts'
import { type Answer, ProviderRefused } from '../oidc.server.ts'
import { type Assertion, readAssertion } from './assertion.server.ts'

/*
 * SAML 2.0 by the library `@node-saml/node-saml`, which verifies signatures, audience and conditions: what this site asks a login service,
 * and what it believes of the answer. What the library leaves to its caller is checked here.
 */

/** How a login service is asked. */
export interface SamlSettings {
	/** By which the login service is known. */
	entityId: string
	/** Where the browser goes to log in. */
	address: string
	/** What it signs with: as {@link certificatesOf} reads it. */
	certificates: string
	/** Empty where the persistent NameID says who somebody is. */
	subjectAttribute: string
	nameAttribute: string
	usernameAttribute: string
	emailAttribute: string
	/** Empty where nothing says who studies and who works there. */
	roleAttribute: string
	/** For which a session lasts at most. */
	hours: number
}

/** Characters of a response in Base64. Responses have some ten thousand. */
const MAX_RESPONSE_LENGTH = 192 * 1024
/** Tags of a response, which has some hundred. The library looks for what is logged in a time that grows with their square. */
const MAX_TAGS = 1_500
/** Characters of a subject. */
const MAX_SUBJECT_LENGTH = 500
/** Milliseconds by which the clock of the login service may be off. */
const CLOCK_TOLERANCE_MS = 60_000

const protocol = 'urn:oasis:names:tc:SAML:2.0:protocol'
const status = 'urn:oasis:names:tc:SAML:2.0:status:'
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const nameIdFormats = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'

/** What a response may be signed by: SHA-256 or longer, over the canonical form without comments. */
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

/** Why an answer is not believed, in sentences for whoever logs in, after the name of the login service. */
const refusals = {
	unsolicited: 'sent an answer that nobody here asked for. Begin with its button on the login page.',
	used: 'answered a login that was finished already, or was begun more than ten minutes ago. Begin again.',
	invalid: 'gave an answer that cannot be believed, so nobody was logged in. Try again.',
	expired:
		'gave an answer that has expired, or is not valid yet. Try again; if it happens again, tell who runs this site that a clock is wrong.',
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

/** The refusal of a login by SAML. @param code as it came in an address, or one of those above */
export function samlRefused(code: string): ProviderRefused {
	const known = Object.hasOwn(refusals, code) ? (code as Refusal) : 'invalid'
	return new ProviderRefused(refusals[known], known)
}

/** What the identities of a login service are stored under: apart from those of an OpenID provider at the same address. */
export function samlIssuer({ entityId }: Pick<SamlSettings, 'entityId'>): string {
	return `saml:${entityId}`
}

function ownAddresses(): { issuer: string; callbackUrl: string } {
	const { publicUrl } = config()
	return { issuer: `${publicUrl}/login/saml/metadata`, callbackUrl: `${publicUrl}/login/saml/acs` }
}

/** The description of this site that a login service is given, as XML. */
export function samlMetadata(): string {
	return generateServiceProviderMetadata({
		...ownAddresses(),
		identifierFormat: `${nameIdFormats}persistent`,
		wantAssertionsSigned: true,
	})
}

/**
 * Reads what a login service signs with: certificates as PEM or, as metadata have it, the Base64 of one.
 * @throws Error with what is wrong, as a sentence
 */
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

/**
 * Reads the metadata of a login service.
 * @throws Error with what is wrong, as a sentence
 */
export async function readMetadata(xml: string): Promise<Pick<SamlSettings, 'entityId' | 'address' | 'certificates'>> {
	// What may be left besides comments are document types, which hold entities.
	const text = xml.replaceAll(/<!--[\s\S]*?-->/g, '')
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

function serviceProvider(settings: SamlSettings, id = newToken()): SAML {
	return new SAML({
		...ownAddresses(),
		entryPoint: settings.address,
		idpCert: certificatesOf(settings.certificates),
		identifierFormat: settings.subjectAttribute === '' ? `${nameIdFormats}persistent` : null,
		disableRequestedAuthnContext: true,
		wantAssertionsSigned: true,
		// A signature over the whole response is verified where there is one.
		wantAuthnResponseSigned: false,
		acceptedClockSkewMs: CLOCK_TOLERANCE_MS,
		generateUniqueId: () => id,
	})
}

/** A login that begins: the id of its request, and the address that takes it to the login service. */
export async function makeSamlRequest(settings: SamlSettings): Promise<{ id: string; url: string }> {
	// An id in XML begins with no digit.
	const id = `_${newToken()}`
	return { id, url: await serviceProvider(settings, id).getAuthorizeUrlAsync('', undefined, {}) }
}

/**
 * Verifies a response: signature, audience, recipient, times and that it answers a request. Whether that request is one of this site, and was not
 * answered before, is for the caller to find out.
 * @param encoded as the browser brought it
 * @throws ProviderRefused
 */
export async function readSamlResponse(
	settings: SamlSettings,
	encoded: string,
): Promise<{ requestId: string; answer: Answer }> {
	try {
		const inResponseTo = await lookAtResponse(encoded)
		const { profile } = await serviceProvider(settings).validatePostResponseAsync({ SAMLResponse: encoded })
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
 * Looks at a response as a whole, before any signature is: everything is refused that no honest response has.
 * @returns the request that it says it answers, which is not signed; empty where it names none
 */
async function lookAtResponse(encoded: string): Promise<string> {
	const xml = encoded.length > MAX_RESPONSE_LENGTH ? '' : Buffer.from(encoded, 'base64').toString('utf8')
	if (xml === '' || xml.split('<').length > MAX_TAGS) throw new Error('nothing, or too large')
	// Document types and entities, comments that split a name, and instructions.
	if (/<!|<\?(?!xml\s)/.test(xml)) throw new Error('a document type, a comment or an instruction')
	const document = await parseDomFromString(xml)
	const response = document.documentElement
	if (response.localName !== 'Response' || response.namespaceURI !== protocol) throw new Error('no response')
	const elements = Array.from(document.getElementsByTagName('*'))
	const named = (name: string) => elements.filter(({ localName }) => localName === name)
	const valuesOf = (name: string, of = elements) =>
		of.filter((one) => one.hasAttribute(name)).map((one) => one.getAttribute(name) ?? '')
	if (elements.some(({ localName }) => localName.startsWith('Encrypted'))) throw samlRefused('encrypted')
	requireSuccess(valuesOf('Value', named('StatusCode')))
	if (!valuesOf('Algorithm').every((name) => algorithms.has(name))) throw samlRefused('weak')
	if (named('Response').length > 1 || named('Assertion').length !== 1) throw new Error('not one assertion')
	const ids = valuesOf('ID')
	if (new Set(ids).size < ids.length) throw new Error('an id twice')
	const [destination = ownAddresses().callbackUrl] = valuesOf('Destination', [response])
	if (destination !== ownAddresses().callbackUrl) throw samlRefused('elsewhere')
	return response.getAttribute('InResponseTo') ?? ''
}

/** @param codes of the status: what it is, and why */
function requireSuccess(codes: readonly string[]): void {
	if (codes[0] === `${status}Success`) return
	if (codes.includes(`${status}InvalidNameIDPolicy`)) throw samlRefused('nobody')
	const isDenied = ['AuthnFailed', 'RequestDenied', 'UnknownPrincipal'].some((code) => codes.includes(status + code))
	throw samlRefused(isDenied ? 'denied' : 'failing')
}

/** The request that the signed part answers, for this site and now. */
function confirmedRequest({ confirmations }: Assertion): string {
	const confirmation = confirmations.find(({ method }) => method === bearer)
	if (confirmations.length !== 1 || !confirmation) throw new Error('not confirmed by its bearer')
	const { recipient, inResponseTo, notBefore, notOnOrAfter } = confirmation
	if (recipient !== ownAddresses().callbackUrl) throw samlRefused('elsewhere')
	const starts = notBefore === undefined ? 0 : Date.parse(notBefore)
	const isNow = starts - CLOCK_TOLERANCE_MS <= Date.now() && Date.now() < endOf(notOnOrAfter)
	if (!isNow) throw samlRefused('expired')
	if (!inResponseTo) throw samlRefused('unsolicited')
	return inResponseTo
}

/** Milliseconds of the epoch until which a time counts as not reached; NaN for what is no time. */
function endOf(time: string | undefined): number {
	return Date.parse(time ?? '') + CLOCK_TOLERANCE_MS
}

/**
 * By what an account is found. The attribute is a part of it: after another one was chosen in the settings, its values may be those that other
 * people have in the former one.
 */
function subjectOf({ nameId, attributes }: Assertion, { subjectAttribute }: SamlSettings): string {
	const { value = '', format = '' } = nameId ?? {}
	if (subjectAttribute === '' && format === `${nameIdFormats}transient`) throw samlRefused('transient')
	const values = attributes.get(subjectAttribute) ?? []
	const isPersistent = format === `${nameIdFormats}persistent`
	const [found = ''] = subjectAttribute === '' ? [isPersistent ? value : ''] : values.length === 1 ? values : []
	if (found === '' || found.length > MAX_SUBJECT_LENGTH) throw samlRefused('nobody')
	return subjectAttribute === '' ? found : `${subjectAttribute}: ${found}`
}

/** When the session is to end; ISO 8601 in UTC. */
function sessionEnd({ sessionEnds }: Assertion, { hours }: SamlSettings): string {
	const ends = sessionEnds.map((time) => Date.parse(time))
	if (!ends.every((end) => end > Date.now())) throw samlRefused('expired')
	return new Date(Math.min(Date.now() + hours * 3_600_000, ...ends)).toISOString()
}

function claimsOf({ attributes }: Assertion, settings: SamlSettings): Record<string, unknown> {
	const { nameAttribute, usernameAttribute, emailAttribute, roleAttribute } = settings
	const first = [nameAttribute, usernameAttribute, emailAttribute].map((name) => [name, attributes.get(name)?.[0]])
	return { ...Object.fromEntries(first), [roleAttribute]: attributes.get(roleAttribute) ?? [] }
}

/** What goes wrong in the library is for programmers, and goes to the log. */
function explained(error: unknown): ProviderRefused {
	if (error instanceof ProviderRefused) return error
	const reason = error instanceof Error ? error.message : String(error)
	log.warn({ reason }, 'an answer by SAML was refused')
	if (/expired|not yet valid/i.test(reason)) return samlRefused('expired')
	return samlRefused(/audience mismatch/i.test(reason) ? 'elsewhere' : 'invalid')
}
