import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { findEmailById } from '~/features/authenticators/authenticators.queries.server.ts'
import {
	type AttemptCounters,
	countAttempt,
	reserveAttempt,
	resetAttempts,
	takeBackAttempt,
} from '~/features/rate-limits/rate-limits.server.ts'
import { findKnownDevice } from '~/features/sessions/devices.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { networkOf, wideNetworkOf } from '~/lib/networks.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { readText } from '~/platform/http/form.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { findIdentityOwner } from './identities.queries.server.ts'
import { logInByIdentity } from './identities.server.ts'
import { authenticateByLdap, type GuessLimits, InvalidLdapSetting } from './ldap.server.ts'
import { ldapSection } from './ldap-section.server.ts'
import { linkIdentity } from './linked-logins.server.ts'
import { withProviderMessages } from './login-flow.server.ts'
import type { ProviderIdentity } from './oidc.server.ts'
import { listProviders, type Provider } from './providers.server.ts'

/** The LDAP provider. @throws NotFound if it is not offered */
export function requireLdapProvider(): Provider {
	const provider = listProviders().find(({ name }) => name === 'ldap')
	if (!provider) throw new NotFound('This site does not offer this way to log in.')
	return provider
}

/**
 * Logs in with username and password of the directory. The first login creates the account.
 * @returns as `logInByIdentity`
 * @throws NotFound, Invalid, TooManyRequests, NotAllowed, Conflict with a message for the person; SecondStepRequired
 */
export async function logInByLdap(form: FormData, request: Request): ReturnType<typeof logInByIdentity> {
	const provider = requireLdapProvider()
	return logInByIdentity(provider, await askedOnce(provider, form, request), request)
}

/**
 * Links the directory's identity with this username and password to the account of the logged-in member.
 * @throws as {@link logInByLdap}
 */
export async function linkByLdap(form: FormData, request: Request): Promise<void> {
	const provider = requireLdapProvider()
	const { viewer } = await viewerFromRequest(request, { fresh: true })
	if (!viewer) throw new NotAllowed('You were logged out in the meantime. Log in, and link it again.')
	await linkIdentity(viewer, provider, await askedOnce(provider, form, request))
}

/** A browser in which the owner of an identity has logged in before. Its guesses are counted apart, so that strangers cannot lock them out. */
async function findDeviceOf(
	identity: Pick<ProviderIdentity, 'issuer' | 'subject'>,
	headers: Headers,
): Promise<string | null> {
	const owner = await findIdentityOwner(db(), identity)
	return owner ? findKnownDevice(await findEmailById(db(), owner.user_id), headers) : null
}

/** Authenticates at the directory, within the limits for password logins. */
async function askedOnce(provider: Provider, form: FormData, request: Request): Promise<ProviderIdentity> {
	const username = readText(form, 'username').trim()
	const password = readText(form, 'password')
	if (username === '') throw new Invalid('Enter your username.', { username: 'Enter your username.' })
	if (password === '') throw new Invalid('Enter your password.', { password: 'Enter your password.' })
	if (username.length > 200 || password.length > 1_000) throw new Invalid('The username or password is wrong.')
	const address = request.headers.get('x-client-ip') ?? 'unknown'
	let account: AttemptCounters = []
	const addresses = [
		['login-address', networkOf(address)],
		['login-network', wideNetworkOf(address)],
	] as const
	const unasked = await reserveAttempt(addresses)
	const count: GuessLimits['count'] = async (who, identity) => {
		const device = identity && (await findDeviceOf(identity, request.headers))
		account = [device ? ['login-device', device] : ['login-account', `ldap ${who.toLowerCase()}`]]
		return countAttempt(account)
	}
	try {
		const settings = siteSettings(ldapSection)
		const answer = await withProviderMessages(provider, () =>
			authenticateByLdap(settings, { username, password }, { count, unasked }),
		)
		await Promise.all([resetAttempts(account), takeBackAttempt(addresses)])
		return answer
	} catch (error) {
		if (error instanceof InvalidLdapSetting)
			throw new NotAllowed(
				'The directory is not configured correctly on this site. Log in another way, and tell its admins.',
			)
		if (error instanceof Invalid) await recordSecurityEvent('login-failed', { userId: null })
		throw error
	}
}
