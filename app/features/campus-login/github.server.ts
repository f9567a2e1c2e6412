import * as oauth from 'openid-client'
import type { SignedIn } from '~/lib/viewer.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { findIdentity } from './identities.queries.server.ts'
import {
	beginOidcLogin,
	callbackUrl,
	type LoginChecks,
	type ProviderIdentity,
	ProviderRefused,
	withProviderErrors,
} from './oidc.server.ts'
import { ProviderUnreachable, providerFetch } from './provider-fetch.server.ts'
import { otherLoginsSection } from './sections.server.ts'

/* Login by GitHub: OAuth 2 without OpenID Connect, so the identity comes from its API. */

export interface GithubSettings {
	/** The origin of GitHub, or of a GitHub Enterprise Server. */
	address: string
	clientId: string
	clientSecret: string
}

const scope = 'read:user user:email'

/** The address at GitHub that starts a login. */
export async function beginGithubLogin(settings: GithubSettings): Promise<{ url: string; checks: LoginChecks }> {
	return beginOidcLogin('github', configurationOf(settings), scope)
}

/**
 * Exchanges the code from the callback.
 * @returns the identity, with the account's primary address if GitHub has confirmed it, as OpenID Connect claims
 * @throws ProviderUnreachable, ProviderRefused
 */
export async function finishGithubLogin(
	settings: GithubSettings,
	{ query, checks }: { query: string; checks: LoginChecks },
): Promise<ProviderIdentity> {
	const configuration = configurationOf(settings)
	return withProviderErrors(async () => {
		const callback = new URL(`${callbackUrl('github')}${query}`)
		const tokens = await oauth.authorizationCodeGrant(configuration, callback, {
			expectedState: checks.state,
			pkceCodeVerifier: checks.verifier,
		})
		const ask = async (path: string): Promise<unknown> => {
			const address = new URL(`${apiOf(settings.address)}${path}`)
			const answer = await oauth.fetchProtectedResource(
				configuration,
				tokens.access_token,
				address,
				'GET',
				null,
				apiHeaders,
			)
			if (!answer.ok) throw new ProviderRefused('did not say who you are.')
			return answer.json()
		}
		const [user, emails] = (await Promise.all([ask('/user'), ask('/user/emails')])) as [GithubUser, GithubEmail[]]
		if (!Number.isSafeInteger(user.id)) throw new ProviderRefused('did not say who you are.')
		const primary = emails.find((one) => one.primary === true && one.verified === true)
		return {
			issuer: settings.address,
			subject: String(user.id),
			claims: {
				name: user.name ?? user.login,
				preferred_username: user.login,
				email: primary?.email,
				email_verified: primary !== undefined,
			},
			refreshToken: null,
		}
	})
}

interface GithubUser {
	/** Never reused, unlike the login. */
	id: number
	login: string
	name: string | null
}

interface GithubEmail {
	email: string
	primary: boolean
	verified: boolean
}

const apiHeaders = new Headers({ Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' })

function apiOf(address: string): string {
	return address === 'https://github.com' ? 'https://api.github.com' : `${address}/api/v3`
}

function configurationOf({ address, clientId, clientSecret }: GithubSettings): oauth.Configuration {
	const configuration = new oauth.Configuration(
		{
			issuer: address,
			authorization_endpoint: `${address}/login/oauth/authorize`,
			token_endpoint: `${address}/login/oauth/access_token`,
		},
		clientId,
		{},
		oauth.ClientSecretPost(clientSecret),
	)
	configuration[oauth.customFetch] = (url, options) => providerFetch(url, options as RequestInit)
	if (address.startsWith('http:')) oauth.allowInsecureRequests(configuration)
	return configuration
}

/** A member's account at the configured GitHub. */
export interface GithubAccount {
	/** The origin of GitHub. */
	address: string
	login: string
	/** Never reused, unlike the login. */
	id: number
}

/** A member's linked account; undefined without one, null if this site does not offer GitHub. */
export async function findGithubAccount({ id }: Pick<SignedIn, 'id'>): Promise<GithubAccount | undefined | null> {
	const settings = githubSettings()
	if (!settings) return null
	const identity = await findIdentity(id, 'github')
	if (identity?.issuer !== settings.address) return
	return { address: settings.address, login: identity.name, id: Number(identity.subject) }
}

/**
 * Requests public data from the API as this site's app, which has a higher rate limit.
 * @param path such as `/users/octocat/repos`
 * @throws ProviderUnreachable
 */
export async function fetchGithub(path: string): Promise<Response> {
	const settings = githubSettings()
	if (!settings) throw new ProviderUnreachable('Login with GitHub is not set up.')
	const { address, clientId, clientSecret } = settings
	const headers = new Headers(apiHeaders)
	headers.set('Authorization', `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`)
	return providerFetch(`${apiOf(address)}${path}`, { headers })
}

function githubSettings(): GithubSettings | null {
	const { githubId: clientId, githubSecret: clientSecret, githubAddress: address } = siteSettings(otherLoginsSection)
	return clientId !== '' && clientSecret !== '' ? { address, clientId, clientSecret } : null
}
