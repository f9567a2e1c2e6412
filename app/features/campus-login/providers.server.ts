import { setTimeout as sleep } from 'node:timers/promises'
import type { LoginButton, LoginElsewhere } from '~/features/accounts/login-methods.server.ts'
import { NotFound } from '~/lib/errors.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { type ClaimNames, type Claims, standardClaims, textOf, valuesOf } from './claims.server.ts'
import { beginGithubLogin, finishGithubLogin, type GithubSettings } from './github.server.ts'
import { ldapSection } from './ldap-section.server.ts'
import {
	beginOidcLogin,
	discover,
	findEndOfSession,
	finishOidcLogin,
	type LoginChecks,
	type OidcSettings,
	type ProviderIdentity,
	ProviderRefused,
} from './oidc.server.ts'
import { beginSamlLogin, finishSamlLogin } from './saml/saml-login.server.ts'
import { samlSection } from './saml/saml-section.server.ts'
import { campusSection, googleSettings, microsoftSettings, otherLoginsSection } from './sections.server.ts'

/* The identity providers in the present settings. */

export interface Provider extends LoginButton {
	/** Whether a first login creates an account. */
	registers: boolean
	/** Whether new accounts need an address that may register here; those of a campus do not. */
	isPublic: boolean
	claims: ClaimNames
}

/** A provider to which the browser is redirected, with a callback. */
export interface RemoteProvider extends Provider {
	/** The address that starts a login, and the state to validate its response. @throws ProviderUnreachable, ProviderRefused */
	begin: () => Promise<{ url: string; checks: LoginChecks }>
	/** Handles the callback, once. @throws ProviderUnreachable, ProviderRefused */
	finish: (returned: { query: string; checks: LoginChecks }) => Promise<ProviderIdentity>
	/** The address that ends the browser's session there; null if it is unknown. @throws ProviderUnreachable, ProviderRefused */
	findEnd?: () => Promise<string | null>
}

/** Milliseconds that a login page waits for an address of a provider. */
const END_TIMEOUT_MS = 2_000

/** The names of all providers, whether or not they are offered now. */
export const providerNames: Readonly<Record<string, string>> = {
	campus: 'the campus login',
	saml: 'the university login',
	ldap: 'the university directory',
	github: 'GitHub',
	google: 'Google',
	microsoft: 'Microsoft',
}

/** The providers that are offered now. */
export function listProviders(): (Provider | RemoteProvider)[] {
	const campus = siteSettings(campusSection)
	const { googleId, googleSecret, microsoftTenant, microsoftId, microsoftSecret, ...other } =
		siteSettings(otherLoginsSection)
	const directory = siteSettings(ldapSection)
	const saml = siteSettings(samlSection)
	const providers: (Provider | RemoteProvider)[] = []
	const isSet = (id: string, secret: string) => id !== '' && secret !== ''
	if (campus.isOn && isSet(campus.clientId, campus.clientSecret)) providers.push(campusProvider(campus))
	if (saml.isOn && (saml.metadata !== '' || saml.entityId !== '')) providers.push(samlProvider(saml))
	if (directory.isOn && directory.address !== '') providers.push(directoryProvider(directory))
	if (isSet(microsoftId, microsoftSecret) && microsoftTenant !== '')
		providers.push(publicProvider('microsoft', microsoftSettings(microsoftTenant, microsoftId, microsoftSecret), other))
	if (isSet(googleId, googleSecret))
		providers.push(publicProvider('google', googleSettings(googleId, googleSecret), other))
	if (isSet(other.githubId, other.githubSecret)) providers.push(githubProvider(other))
	return providers
}

/** A provider that the browser is sent to. @throws NotFound if it is not offered */
export function requireProvider(name: string): RemoteProvider {
	const provider = listProviders().find((one) => one.name === name)
	if (!provider || !('begin' in provider)) throw new NotFound('This site does not offer this way to log in.')
	return provider
}

/** Whether a login by this provider opens a session of the browser there: not at a directory, nor at one that is not offered. */
export function opensSessions(name: string): boolean {
	return listProviders().some((provider) => provider.name === name && 'begin' in provider)
}

/** The session of a browser at a provider, which outlives that of this site; null for one that is not offered, or has none. */
export async function findProviderSession(name: string): Promise<LoginElsewhere | null> {
	const provider = listProviders().find((one) => one.name === name)
	if (!provider || !('begin' in provider)) return null
	const url = await Promise.race([
		provider.findEnd?.().catch(() => null),
		sleep(END_TIMEOUT_MS, undefined, { ref: false }),
	])
	return { site: provider.isPublic ? (providerNames[name] ?? name) : 'your university', url: url ?? null }
}

/**
 * Refuses a person whose campus login shows another value of the claim that members must have, or none.
 * @param isLogin false for a check of a session, which may leave the claim out
 * @throws ProviderRefused with `invalid_grant`
 */
export function requireMembersClaim(claims: Claims, isLogin: boolean): void {
	const { requiredClaim, requiredValue } = siteSettings(campusSection)
	if (requiredClaim === '' || (!isLogin && valuesOf(claims, requiredClaim, false) === null)) return
	if (textOf(claims, requiredClaim).toLowerCase() !== requiredValue.toLowerCase())
		throw new ProviderRefused('says that this account does not belong to the university.', 'invalid_grant')
}

function campusProvider(settings: ReturnType<typeof siteSettings<(typeof campusSection)['settings']>>): RemoteProvider {
	const { label, registers, nameClaim, usernameClaim, emailClaim, roleClaim } = settings
	const { studentRoles, staffRoles, trustsEmail } = settings
	const claims = {
		name: nameClaim,
		username: usernameClaim,
		email: emailClaim,
		role: roleClaim,
		studentRoles,
		staffRoles,
		trustsEmail,
	}
	const { finish, ...provider } = oidcProvider('campus', settings)
	const finishForMembers: RemoteProvider['finish'] = async (returned) => {
		const answer = await finish(returned)
		requireMembersClaim(answer.claims, true)
		return answer
	}
	return { ...provider, finish: finishForMembers, label, registers, isPublic: false, claims }
}

function directoryProvider(settings: ReturnType<typeof siteSettings<(typeof ldapSection)['settings']>>): Provider {
	const { label, registers } = settings
	return { name: 'ldap', label, registers, isPublic: false, claims: attributeNames(settings) }
}

function samlProvider(settings: ReturnType<typeof siteSettings<(typeof samlSection)['settings']>>): RemoteProvider {
	const { label, registers } = settings
	const ways = { begin: beginSamlLogin, finish: finishSamlLogin }
	return { name: 'saml', label, registers, isPublic: false, claims: attributeNames(settings), ...ways }
}

type AttributeSettings = Pick<ClaimNames, 'studentRoles' | 'staffRoles' | 'trustsEmail'> &
	Record<'nameAttribute' | 'usernameAttribute' | 'emailAttribute' | 'roleAttribute', string>

/** What LDAP and SAML call attributes, as claims. */
function attributeNames(settings: AttributeSettings): ClaimNames {
	const { studentRoles, staffRoles, trustsEmail } = settings
	return {
		name: settings.nameAttribute,
		username: settings.usernameAttribute,
		email: settings.emailAttribute,
		role: settings.roleAttribute,
		studentRoles,
		staffRoles,
		trustsEmail,
	}
}

function publicProvider(
	name: 'google' | 'microsoft',
	settings: OidcSettings,
	{ registers }: { registers: boolean },
): RemoteProvider {
	const label = `Log in with ${providerNames[name]}`
	return { ...oidcProvider(name, settings), label, registers, isPublic: true, claims: standardClaims }
}

function oidcProvider(
	name: string,
	settings: OidcSettings,
): Pick<RemoteProvider, 'name' | 'begin' | 'finish' | 'findEnd'> {
	return {
		name,
		begin: async () => beginOidcLogin(name, await discover(settings), settings.scope),
		finish: (returned) => finishOidcLogin(name, settings, returned),
		findEnd: () => findEndOfSession(settings),
	}
}

function githubProvider(set: {
	githubId: string
	githubSecret: string
	githubAddress: string
	registers: boolean
}): RemoteProvider {
	const settings: GithubSettings = {
		address: set.githubAddress,
		clientId: set.githubId,
		clientSecret: set.githubSecret,
	}
	return {
		name: 'github',
		label: 'Log in with GitHub',
		registers: set.registers,
		isPublic: true,
		claims: standardClaims,
		begin: () => beginGithubLogin(settings),
		finish: (returned) => finishGithubLogin(settings, returned),
	}
}
