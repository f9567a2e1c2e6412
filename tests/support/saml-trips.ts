import '~/features/index.server.ts'
import { beginFlow, finishFlow } from '~/features/campus-login/login-flow.server.ts'
import { samlMetadata } from '~/features/campus-login/saml/saml.server.ts'
import { receiveSamlResponse } from '~/features/campus-login/saml/saml-login.server.ts'
import { makeMember } from '../factories/forum.ts'
import { cookiePairs } from './browser.ts'
import { requestOf, saveSettings } from './login-visits.ts'
import { type SamlAccount, startSamlSite } from './saml-site.ts'

/* SAML logins as a browser makes them, by use cases instead of addresses. */

/** Attribute names of the eduPerson and SCHAC standards. */
export const attributeNames = {
	mail: 'urn:oid:0.9.2342.19200300.100.1.3',
	uid: 'urn:oid:0.9.2342.19200300.100.1.1',
	displayName: 'urn:oid:2.16.840.1.113730.3.1.241',
	affiliation: 'urn:oid:1.3.6.1.4.1.5923.1.1.1.1',
} as const

interface Trip {
	linkTo?: number | null
	/** Cookies of the browser. */
	has?: string[]
}

/** A time relative to now, in seconds; ISO 8601. */
export function timeFromNow(seconds: number): string {
	return new Date(Date.now() + seconds * 1_000).toISOString()
}

/** Starts a login. */
export async function startSamlLogin(linkTo: number | null = null): Promise<{ url: string; cookies: string[] }> {
	const { url, headers } = await beginFlow('saml', { viewer: null, linkTo, redirectTo: '/forum', ip: '192.0.2.1' })
	return { url, cookies: cookiePairs(headers) }
}

/** Follows the redirect after the response. */
export async function continueSamlLogin(path: string, cookies: readonly string[]) {
	const finished = await finishFlow('saml', requestOf(path, cookies), null, '192.0.2.1')
	return { ...finished, cookies: cookiePairs(finished.headers) }
}

/** Starts a provider, and enables the login with it. The caller must stop it. */
export async function offerSaml() {
	const campus = await startSamlSite(async () => samlMetadata())
	const admin = await makeMember('admin', 'admin')
	let made = 0

	/** Saves the settings of the login by SAML, as an admin does. */
	async function save(input: Record<string, string>): Promise<void> {
		const { entityId, address, certificate } = campus
		const sent = { isOn: 'on', entityId, address, certificates: certificate }
		const usual = { metadata: '', subjectAttribute: '', onlyWay: '', hours: '12' }
		await saveSettings(admin, 'saml-login', { ...sent, ...usual, ...input })
	}
	await save({})

	/** Adds an account at the campus, and logs its owner in there. */
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
		/** Adds another account. @returns its number: the username is `studentN` */
		enrolNext(): number {
			made += 1
			campus.tampering = {}
			enrol(`s-${made}`)
			return made
		},
		/** Starts a login, logs in at the campus, posts the response, and follows the redirect. */
		async trip({ linkTo = null, has = [] }: Trip = {}) {
			const begun = await startSamlLogin(linkTo)
			const path = await receiveSamlResponse(await campus.visit(begun.url), '192.0.2.1')
			return continueSamlLogin(path, [...has, ...begun.cookies])
		},
	}
}
