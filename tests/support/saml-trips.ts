import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { viewerFromRequest } from '~/features/accounts/accounts.server.ts'
import { beginFlow, finishFlow } from '~/features/campus-login/login-flow.server.ts'
import { samlMetadata } from '~/features/campus-login/saml/saml.server.ts'
import { takeSamlResponse } from '~/features/campus-login/saml/saml-login.server.ts'
import { getSection, saveSection } from '~/features/site-settings/site-settings.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember } from '../factories/forum.ts'
import { type SamlAccount, startSamlSite } from './saml-site.ts'

/* Logins by SAML as a browser makes them, with the use cases of the site in place of its addresses. */

/** The attributes of an account, by the names that universities have agreed on. */
export const attributeNames = {
	mail: 'urn:oid:0.9.2342.19200300.100.1.3',
	uid: 'urn:oid:0.9.2342.19200300.100.1.1',
	displayName: 'urn:oid:2.16.840.1.113730.3.1.241',
	affiliation: 'urn:oid:1.3.6.1.4.1.5923.1.1.1.1',
} as const

interface Trip {
	linkTo?: number | null
	/** Cookies that the browser has already. */
	has?: string[]
}

/** A time so many seconds from now; ISO 8601. */
export function at(seconds: number): string {
	return new Date(Date.now() + seconds * 1_000).toISOString()
}

/** A request to the site. @param cookies as they are sent, `name=value` */
export function requestOf(path: string, cookies: readonly string[] = []): Request {
	const headers = { Cookie: cookies.join('; '), 'x-client-ip': '192.0.2.1' }
	return new Request(`${config().publicUrl}${path}`, { headers })
}

/** The cookies that an answer sets, as they are sent. */
export function pairsOf(headers: Headers): string[] {
	return headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
}

/** Who is logged in with these cookies. */
export async function whoHas(cookies: readonly string[]): Promise<SignedIn | null> {
	return (await viewerFromRequest(requestOf('/', cookies), { fresh: true })).viewer
}

/** Begins a login. */
export async function begin(linkTo: number | null = null): Promise<{ url: string; cookies: string[] }> {
	const { url, headers } = await beginFlow('saml', { viewer: null, linkTo, redirectTo: '/forum', ip: '192.0.2.1' })
	return { url, cookies: pairsOf(headers) }
}

/** Goes on where the site leads to after the answer. */
export async function goOn(path: string, cookies: readonly string[]) {
	const finished = await finishFlow('saml', requestOf(path, cookies), null, '192.0.2.1')
	return { ...finished, cookies: pairsOf(finished.headers) }
}

/** Starts a login service, and offers the login by it on the site of the test. Whoever calls it stops it. */
export async function offerSaml() {
	const campus = await startSamlSite(async () => samlMetadata())
	const admin = await makeMember('admin', 'admin')
	let made = 0

	/** Saves the form of the login by SAML, as an admin does. */
	async function save(input: Record<string, string>): Promise<void> {
		const { version, settings } = await getSection(admin, 'saml-login')
		const stored = Object.fromEntries(settings.map(({ field, text }) => [field, text]))
		const { entityId, address, certificate } = campus
		const sent = { isOn: 'on', entityId, address, certificates: certificate }
		const usual = { metadata: '', subjectAttribute: '', onlyWay: '', hours: '12' }
		await saveSection(admin, 'saml-login', { ...stored, ...sent, ...usual, ...input, version: String(version) })
	}
	await save({})

	/** Gives somebody an account at the campus, and sits them down in front of the browser. */
	function enrol(nameId: string, account: Partial<SamlAccount> = {}): void {
		const { mail, uid, displayName } = attributeNames
		campus.visitor = nameId
		const usual = {
			[mail]: `student${made}@eastmere.example`,
			[uid]: `student${made}`,
			[displayName]: `Student ${made}`,
		}
		campus.accounts.set(nameId, { nameId, ...account, attributes: { ...usual, ...account.attributes } })
	}

	return {
		campus,
		save,
		enrol,
		/** Somebody new sits in front of the browser. @returns what tells them from others: their username is `studentN` */
		enrolNext(): number {
			made += 1
			campus.tampering = {}
			enrol(`s-${made}`)
			return made
		},
		/** Begins a login, logs in at the campus, brings the answer, and goes on where the site leads to. */
		async trip({ linkTo = null, has = [] }: Trip = {}) {
			const begun = await begin(linkTo)
			const path = await takeSamlResponse(await campus.visit(begun.url), '192.0.2.1')
			return goOn(path, [...has, ...begun.cookies])
		},
	}
}
