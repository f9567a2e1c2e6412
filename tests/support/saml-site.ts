import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Constants, IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify'
import { makeCertificate } from './certificate.ts'

/*
 * A campus identity provider for SAML 2.0: `samlify` in this process. Everybody who logs in is the account that the test names; the library
 * parses requests and signs responses.
 */

export interface SamlAccount {
	nameId: string
	/** The last part of the format's URN. */
	format?: 'persistent' | 'transient' | 'emailAddress'
	attributes: Record<string, string | readonly string[]>
}

/** Manipulations of a response. */
export interface Tampering {
	/** Values of placeholders in the library's template; null omits an attribute. */
	values?: Record<string, string | null>
	/** Modifies it before signing. */
	before?: (xml: string) => string
	/** Modifies it after signing. */
	after?: (xml: string) => string
	/** The signing key, PEM. */
	key?: string
	isSha1?: boolean
	signs?: 'assertion' | 'response' | 'both'
	/** When the session there ends; ISO 8601. */
	sessionEnd?: string
}

export interface SamlSite {
	entityId: string
	/** The single sign-on address. */
	address: string
	/** The signing certificate, PEM. */
	certificate: string
	/** The metadata, as XML. */
	metadata: () => string
	accounts: Map<string, SamlAccount>
	/** The account in the browser, by key. */
	visitor: string
	/** Manipulations of the next responses. */
	tampering: Tampering
	/** Acts as a browser: follows the address of a login. @returns the form that the provider's page would post */
	visit: (url: string) => Promise<FormData>
	stop: () => Promise<void>
}

const formats = {
	persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
	transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
	emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
}

// Schema validation is skipped: the library reads what it needs.
setSchemaValidator({ validate: async () => 'not compared' })

/** Starts the provider. @param metadata loads the site's metadata */
export async function startSamlSite(metadata: () => Promise<string>): Promise<SamlSite> {
	const server = createServer()
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	const { cert, key } = makeCertificate(2_048)
	const site: SamlSite = {
		entityId: `${address}/idp`,
		address: `${address}/sso`,
		certificate: cert,
		metadata: () => identityProvider(site, key).getMetadata(),
		accounts: new Map(),
		visitor: '',
		tampering: {},
		visit,
		stop: () =>
			new Promise((resolve) => {
				server.close(() => resolve())
				server.closeAllConnections()
			}),
	}
	server.on('request', async ({ url = '' }, response) => {
		try {
			const page = await answer(site, { key, metadata: await metadata(), url: new URL(url, address) })
			response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page)
		} catch (error) {
			response.writeHead(500).end(String(error))
		}
	})
	return site
}

/** The response to a request: a page whose form posts the SAML response. */
async function answer(
	site: SamlSite,
	{ key, metadata, url }: { key: string; metadata: string; url: URL },
): Promise<string> {
	const { signs = 'assertion', isSha1 = false, after = (xml: string) => xml, ...tampering } = site.tampering
	const idp = identityProvider(site, tampering.key ?? key, isSha1)
	const isBare = signs === 'response'
	const sp = ServiceProvider({
		metadata: isBare ? metadata.replace('WantAssertionsSigned="true"', '') : metadata,
		wantMessageSigned: signs === 'both',
	})
	const { extract } = await idp.parseLoginRequest(sp, 'redirect', { query: Object.fromEntries(url.searchParams) })
	const requestId = String(extract.request?.id)
	const to = String(sp.entityMeta.getAssertionConsumerService('post'))
	const values = { ...valuesOf(site, requestId, to, sp.entityMeta.getEntityID()), ...tampering.values }
	const xml = SamlLib.replaceTagsByValue(templateOf(site), values as Record<string, string>)
	const { context } = await idp.createLoginResponse(
		sp,
		{ extract: { request: { id: requestId } } },
		'post',
		{},
		() => ({
			id: String(values.ID),
			context: tampering.before?.(xml) ?? xml,
		}),
	)
	const signed = after(Buffer.from(context, 'base64').toString())
	return `<!doctype html><title>Eastmere</title><form method="post" action="${to}">
		<input type="hidden" name="SAMLResponse" value="${Buffer.from(signed).toString('base64')}">
		<button>Go on</button></form><script>document.forms[0].submit()</script>`
}

function identityProvider({ entityId, certificate, address }: SamlSite, privateKey: string, isSha1 = false) {
	return IdentityProvider({
		entityID: entityId,
		signingCert: certificate,
		privateKey,
		requestSignatureAlgorithm: Constants.algorithms.signature[isSha1 ? 'RSA_SHA1' : 'RSA_SHA256'],
		singleSignOnService: [{ Binding: Constants.namespace.binding.redirect, Location: address }],
		// Without it the library logs a warning.
		singleLogoutService: [{ Binding: Constants.namespace.binding.redirect, Location: address }],
	})
}

function valuesOf(site: SamlSite, requestId: string, to: string, audience: string): Record<string, string | null> {
	const { nameId = '', format = 'persistent' } = site.accounts.get(site.visitor) ?? {}
	const soon = new Date(Date.now() + 300_000).toISOString()
	return {
		...{
			ID: `_${randomUUID()}`,
			AssertionID: `_${randomUUID()}`,
			Issuer: site.entityId,
			StatusCode: Constants.StatusCode.Success,
		},
		...{ Destination: to, SubjectRecipient: to, Audience: audience, InResponseTo: requestId },
		...{ IssueInstant: new Date().toISOString(), ConditionsNotBefore: new Date().toISOString() },
		...{ ConditionsNotOnOrAfter: soon, SubjectConfirmationDataNotOnOrAfter: soon },
		...{ NameID: nameId, NameIDFormat: formats[format] },
	}
}

/** The library's template, with the account's data. */
function templateOf(site: SamlSite): string {
	const { attributes = {} } = site.accounts.get(site.visitor) ?? {}
	const { sessionEnd } = site.tampering
	const statements = Object.entries(attributes).map(([name, values]) => {
		const texts = [values].flat().map((text) => `<saml:AttributeValue>${text}</saml:AttributeValue>`)
		return `<saml:Attribute Name="${name}">${texts.join('')}</saml:Attribute>`
	})
	const end = sessionEnd === undefined ? '' : ` SessionNotOnOrAfter="${sessionEnd}"`
	return SamlLib.defaultLoginResponseTemplate.context
		.replace('{AuthnStatement}', `<saml:AuthnStatement AuthnInstant="{IssueInstant}"${end}/>`)
		.replace('{AttributeStatement}', `<saml:AttributeStatement>${statements.join('')}</saml:AttributeStatement>`)
}

async function visit(url: string): Promise<FormData> {
	const page = await (await fetch(url)).text()
	const value = /name="SAMLResponse" value="([^"]*)"/.exec(page)?.[1]
	if (value === undefined) throw new Error(`The login service answered: ${page.slice(0, 500)}`)
	const form = new FormData()
	form.set('SAMLResponse', value)
	return form
}
