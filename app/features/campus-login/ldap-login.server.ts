import { viewerFromRequest } from '~/features/accounts/accounts.server.ts'
import {
	type AttemptCounters,
	countAttempt,
	network,
	reserveAttempt,
	resetAttempts,
	takeBackAttempt,
	wideNetwork,
} from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { enter, link } from './identities.server.ts'
import { askDirectory, DirectoryMisset } from './ldap.server.ts'
import { directorySection } from './ldap-section.server.ts'
import { atProvider } from './login-flow.server.ts'
import type { Answer } from './oidc.server.ts'
import { listProviders, type Provider } from './providers.server.ts'

/** The LDAP provider. @throws NotFound if it is not offered */
export function requireDirectory(): Provider {
	const provider = listProviders().find(({ name }) => name === 'ldap')
	if (!provider) throw new NotFound('This site does not offer this way to log in.')
	return provider
}

/**
 * Logs in with username and password of the directory. The first login creates the account.
 * @returns as `enter`
 * @throws NotFound, Invalid, TooMany, NotAllowed, Conflict with a message for the person; SecondStepRequired
 */
export async function logInByDirectory(form: FormData, request: Request): ReturnType<typeof enter> {
	const provider = requireDirectory()
	return enter(provider, await askedOnce(provider, form, request), request)
}

/**
 * Links the directory's identity with this username and password to the account of the logged-in member.
 * @throws as {@link logInByDirectory}
 */
export async function linkByDirectory(form: FormData, request: Request): Promise<void> {
	const provider = requireDirectory()
	const { viewer } = await viewerFromRequest(request, { fresh: true })
	if (!viewer) throw new NotAllowed('You were logged out in the meantime. Log in, and link it again.')
	await link(viewer, provider, await askedOnce(provider, form, request))
}

/** Authenticates at the directory, within the limits for password logins. */
async function askedOnce(provider: Provider, form: FormData, request: Request): Promise<Answer> {
	const username = String(form.get('username') ?? '').trim()
	const password = String(form.get('password') ?? '')
	if (username === '') throw new Invalid('Enter your username.', { username: 'Enter your username.' })
	if (password === '') throw new Invalid('Enter your password.', { password: 'Enter your password.' })
	if (username.length > 200 || password.length > 1_000) throw new Invalid('The username or password is wrong.')
	const address = request.headers.get('x-client-ip') ?? 'unknown'
	let account: AttemptCounters = []
	const addresses = [
		['login-address', network(address)],
		['login-network', wideNetwork(address)],
	] as const
	const unasked = await reserveAttempt(addresses)
	const count = (who: string) => {
		account = [['login-account', `ldap ${who.toLowerCase()}`]]
		return countAttempt(account)
	}
	try {
		const settings = siteSettings(directorySection)
		const answer = await atProvider(provider, () => askDirectory(settings, { username, password }, { count, unasked }))
		await Promise.all([resetAttempts(account), takeBackAttempt(addresses)])
		return answer
	} catch (error) {
		if (error instanceof DirectoryMisset)
			throw new NotAllowed(
				'The directory is not configured correctly on this site. Log in another way, and tell its admins.',
			)
		if (error instanceof Invalid) await recordSecurityEvent('login-failed', { userId: null })
		throw error
	}
}
