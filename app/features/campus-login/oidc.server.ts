import * as oidc from 'openid-client'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { isSafeAddress, ProviderUnreachable, providerFetch } from './provider-fetch.server.ts'

/* OpenID Connect by the certified library `openid-client`: requests to a provider, and the validation of its responses. */

/** The configuration of a provider. */
export interface OidcSettings {
	issuer: string
	clientId: string
	clientSecret: string
	/** Separated by spaces. */
	scope: string
}

/** The state that a login needs at its callback. */
export interface LoginChecks {
	state: string
	nonce: string
	verifier: string
}

/** An authenticated identity. */
export interface ProviderIdentity {
	issuer: string
	subject: string
	claims: Readonly<Record<string, unknown>>
	/** For checking later whether the member still has an account there. */
	refreshToken: string | null
	/** The id of the session there, by which a logout names it; undefined if the provider tells none. */
	sid?: string
	/** The end of the session, if the provider cannot be asked again; ISO 8601. */
	endsAt?: string
}

/** The provider refused, or its response is invalid; `message` is a sentence for the person, after the provider's name. */
export class ProviderRefused extends Error {
	/** The OAuth error code, such as `invalid_grant`; empty if the response was invalid. */
	readonly code: string
	constructor(message: string, code = '', options?: ErrorOptions) {
		super(message, options)
		this.code = code
	}
}

/** How long a discovery document is cached, in milliseconds. */
const DISCOVERY_LIFE_MS = 3_600_000
/** Cached discovery documents. */
const MAX_DISCOVERED = 20
/** Tolerated clock difference in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60
/** What is said of a response whose time has passed or is yet to come. */
export const WRONG_CLOCK =
	'gave an answer that has expired, or is not valid yet. Try again; if it happens again, tell who runs this site that a clock is wrong.'

const discovered = remember(
	'oidc-providers',
	() => new Map<string, { at: number; configuration: Promise<oidc.Configuration> }>(),
)

/** The redirect URI of a provider. */
export function callbackUrl(provider: string): string {
	return `${config().publicUrl}/login/${provider}/callback`
}

/** Fetches a provider's discovery document. @throws ProviderUnreachable, ProviderRefused */
export async function discover(settings: OidcSettings): Promise<oidc.Configuration> {
	const key = keyOf(settings)
	const known = discovered.get(key)
	if (known && Date.now() - known.at < DISCOVERY_LIFE_MS) return known.configuration
	// Changed settings have another cache key.
	if (discovered.size >= MAX_DISCOVERED) discovered.clear()
	const configuration = ask(settings)
	discovered.set(key, { at: Date.now(), configuration })
	configuration.catch(() => discovered.delete(key))
	return configuration
}

function keyOf({ issuer, clientId, clientSecret }: OidcSettings): string {
	return JSON.stringify([issuer, clientId, clientSecret])
}

async function ask({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
	const isPlain = issuer.startsWith('http:')
	return withProviderErrors(() =>
		oidc.discovery(
			new URL(issuer),
			clientId,
			{ [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
			secretAuth(clientSecret),
			{
				[oidc.customFetch]: (address, options) => providerFetch(address, options as RequestInit),
				execute: [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])],
			},
		),
	)
}

/** Sends the client secret in the header, or in the body to a provider that only accepts that. */
function secretAuth(secret: string): oidc.ClientAuth {
	const [inHeader, inBody] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
	return (server, client, body, headers) => {
		const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
		const isBody = !ways.includes('client_secret_basic') && ways.includes('client_secret_post')
		return (isBody ? inBody : inHeader)(server, client, body, headers)
	}
}

/**
 * Tests the settings of a provider without logging anybody in.
 * @throws ProviderUnreachable; ProviderRefused, with `invalid_client` if client id or secret are wrong
 */
export async function testProvider(provider: string, settings: OidcSettings): Promise<void> {
	const configuration = await discover(settings)
	const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata()
	const addresses = [authorization_endpoint, token_endpoint, jwks_uri]
	if (!addresses.every((address) => address !== undefined && isSafeAddress(address)))
		throw new ProviderRefused('does not name the https addresses for the login, the tokens and its keys.')
	try {
		// A code that was never issued. If the client is right, the provider rejects the code, else the client.
		await withProviderErrors(() =>
			oidc.genericGrantRequest(configuration, 'authorization_code', {
				code: 'a-test-of-the-settings',
				redirect_uri: callbackUrl(provider),
				code_verifier: oidc.randomPKCECodeVerifier(),
			}),
		)
	} catch (error) {
		const { code } = error as Partial<ProviderRefused>
		if (!(error instanceof ProviderRefused) || code === 'invalid_client' || code === 'unauthorized_client') throw error
	}
}

/** The address at the provider that starts a login, and the state to validate its response. @throws ProviderRefused */
export async function beginOidcLogin(
	provider: string,
	configuration: oidc.Configuration,
	scope: string,
): Promise<{ url: string; checks: LoginChecks }> {
	const checks = {
		state: oidc.randomState(),
		nonce: oidc.randomNonce(),
		verifier: oidc.randomPKCECodeVerifier(),
	}
	const url = await withProviderErrors(async () =>
		oidc.buildAuthorizationUrl(configuration, {
			redirect_uri: callbackUrl(provider),
			scope,
			state: checks.state,
			nonce: checks.nonce,
			code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
			code_challenge_method: 'S256',
		}),
	)
	if (!isSafeAddress(url.href))
		throw new ProviderRefused('names an address for the login that is not reached by https.')
	return { url: url.href, checks }
}

/**
 * Exchanges the code from the callback once, and validates state, issuer, nonce, PKCE, and the signature, audience and time of the ID
 * token.
 * @param query of the callback address
 * @throws ProviderUnreachable, ProviderRefused
 */
export async function finishOidcLogin(
	provider: string,
	settings: OidcSettings,
	{ query, checks }: { query: string; checks: LoginChecks },
): Promise<ProviderIdentity> {
	const configuration = await discover(settings)
	return withProviderErrors(async () => {
		const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${callbackUrl(provider)}${query}`), {
			expectedState: checks.state,
			expectedNonce: checks.nonce,
			pkceCodeVerifier: checks.verifier,
			idTokenExpected: true,
		})
		const token = tokens.claims()
		if (!token) throw new ProviderRefused('did not say who you are.')
		const { userinfo_endpoint } = configuration.serverMetadata()
		const more = userinfo_endpoint ? await oidc.fetchUserInfo(configuration, tokens.access_token, token.sub) : {}
		// Signed claims take precedence over those of the userinfo endpoint.
		const claims = { ...more, ...token }
		const { iss: issuer, sub: subject, sid } = token
		const identity = { issuer, subject, claims, refreshToken: tokens.refresh_token ?? null }
		return typeof sid === 'string' ? { ...identity, sid } : identity
	}).catch((error: unknown) => {
		// The keys may have been rotated: the next attempt fetches them.
		discovered.delete(keyOf(settings))
		throw error
	})
}

/** The address at the provider that ends the session of a browser there; null if it names none. @throws ProviderUnreachable, ProviderRefused */
export async function findEndOfSession(settings: OidcSettings): Promise<string | null> {
	const { end_session_endpoint: address } = (await discover(settings)).serverMetadata()
	return address !== undefined && isSafeAddress(address) ? address : null
}

/**
 * Checks whether a member still has an account.
 * @param member.wantsClaims whether features want claims, or members must have one
 * @returns the refresh token for the next time, and the claims; none where the provider does not tell
 * @throws ProviderUnreachable; ProviderRefused with `invalid_grant` if they do not
 */
export async function refreshOidcLogin(
	settings: OidcSettings,
	{ subject, refreshToken, wantsClaims }: { subject: string; refreshToken: string; wantsClaims: boolean },
): Promise<{ refreshToken: string; claims: ProviderIdentity['claims'] }> {
	const configuration = await discover(settings)
	const tokens = await withProviderErrors(() => oidc.refreshTokenGrant(configuration, refreshToken))
	const token = tokens.claims()
	if (token && token.sub !== subject) throw new ProviderRefused('names another member.', 'invalid_grant')
	const isAsked = wantsClaims && configuration.serverMetadata().userinfo_endpoint !== undefined
	// The member is known to be there. An error must not lose the new refresh token.
	const more = isAsked
		? await withProviderErrors(() => oidc.fetchUserInfo(configuration, tokens.access_token, subject)).catch(() => ({}))
		: {}
	return { refreshToken: tokens.refresh_token ?? refreshToken, claims: { ...more, ...token } }
}

/** Runs a call of the library and translates its errors, which are logged without tokens. */
export async function withProviderErrors<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work()
	} catch (error) {
		if (error instanceof ProviderRefused) throw error
		const unreachable = causeOf(error)
		if (unreachable) throw unreachable
		const { code, message } = error as { code?: string; message?: string }
		const oauth = oauthCodeOf(error)
		log.warn({ code, oauth, reason: message }, 'a login provider’s response was rejected')
		const words = code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED' ? WRONG_CLOCK : wordsOf(oauth)
		throw new ProviderRefused(words, oauth, { cause: error })
	}
}

/** The provider's error code, such as `invalid_grant`; empty if the response was invalid. */
function oauthCodeOf(error: unknown): string {
	// A provider may reject the client secret by a 401 with a challenge only.
	if (error instanceof oidc.WWWAuthenticateChallengeError)
		return error.cause.map(({ parameters }) => parameters.error)[0] ?? 'invalid_client'
	const { error: code } = error as { error?: unknown }
	return typeof code === 'string' ? code : ''
}

function causeOf(error: unknown): ProviderUnreachable | null {
	for (let one = error; one instanceof Error; one = one.cause) if (one instanceof ProviderUnreachable) return one
	return null
}

function wordsOf(oauth: string): string {
	if (oauth === 'access_denied') return 'says that you did not agree, or may not log in here.'
	if (oauth === 'invalid_client' || oauth === 'unauthorized_client')
		return 'does not know this site: client id and secret in its settings are wrong.'
	if (oauth === 'invalid_grant') return 'says that this login was used already or has expired. Try again.'
	if (oauth === 'temporarily_unavailable' || oauth === 'server_error')
		return 'has a problem of its own. Try again later.'
	return 'gave an answer that cannot be believed, so nobody was logged in. Try again.'
}
