import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import { discover, type OidcSettings, ProviderRefused } from '~/features/campus-login/oidc.server.ts'
import { ProviderUnreachable, providerFetch } from '~/features/campus-login/provider-fetch.server.ts'

/* Validates logout tokens: OpenID Connect Back-Channel Logout 1.0, section 2.6. `openid-client` reads ID tokens only. */

/** Who was logged out at a provider. */
export interface LogoutToken {
	issuer: string
	/** Null if only the session is named. */
	subject: string | null
	/** The id of the session at the provider; null for all sessions of the subject. */
	sid: string | null
	/** The id of the token. */
	jti: string
}

/** Seconds after which a token is refused, whatever it says: it logs somebody out, who may have logged in again since. */
export const MAX_TOKEN_AGE_SECONDS = 300
/** Tolerated clock difference in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 60

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Keycloak and others send plain `JWT`; another type is that of another kind of token. */
const tokenType = /^(application\/)?(logout\+)?jwt$/i

const claims = z
	.object({
		iss: z.string(),
		sub: z.string().min(1).optional(),
		sid: z.string().min(1).optional(),
		jti: z.string().min(1),
		events: z.object({ [LOGOUT_EVENT]: z.record(z.string(), z.unknown()) }),
		// An ID token has one, and must not count as a logout.
		nonce: z.never().optional(),
	})
	.refine(({ sub, sid }) => sub !== undefined || sid !== undefined, 'The token names neither sub nor sid.')

/**
 * Verifies a token: signature, by the keys and algorithms of ID tokens, type, issuer, audience, times, event and subject.
 * `exp` came with an erratum to the specification: it counts where it is sent, and the age always does.
 * @throws Error of any kind if the token is not valid, or the keys cannot be fetched; {@link reasonAgainst} words it for the log
 */
export async function readLogoutToken(text: string, settings: OidcSettings): Promise<LogoutToken> {
	const configuration = await askWithPause(settings.issuer, () => discover(settings))
	const { issuer, id_token_signing_alg_values_supported: named = ['RS256'] } = configuration.serverMetadata()
	const { payload, protectedHeader } = await jwtVerify(text, keysOf(configuration), {
		issuer,
		audience: settings.clientId,
		algorithms: named.filter((algorithm) => !/^(none$|HS)/i.test(algorithm)),
		maxTokenAge: MAX_TOKEN_AGE_SECONDS,
		clockTolerance: CLOCK_TOLERANCE_SECONDS,
	})
	const { typ = 'JWT' } = protectedHeader
	if (!tokenType.test(typ)) throw new ProviderRefused('sent a token of another type.')
	const { data, error } = claims.safeParse(payload)
	if (!data) throw new ProviderRefused(`sent a token with a wrong ${String(error.issues[0]?.path[0] ?? 'subject')}.`)
	const { iss, sub = null, sid = null, jti } = data
	return { issuer: iss, subject: sub, sid, jti }
}

/** Why a token does not count, for the log. Messages of `jose` quote the token, which anybody may have written. */
export function reasonAgainst(error: unknown): string {
	if (error instanceof ProviderRefused || error instanceof ProviderUnreachable) return error.message
	const { code, claim, name } = error as Error & { code?: string; claim?: string }
	return [code ?? name, claim ?? ''].join(' ').trim()
}

/** Milliseconds for which a failed request is not repeated: otherwise every stranger's token would cause one. */
const PAUSE_MS = 30_000
/** When requests failed, on the monotonic clock in milliseconds, by what they requested. */
const failedAt = new Map<string, number>()

async function askWithPause<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer> {
	if (performance.now() - (failedAt.get(what) ?? -PAUSE_MS) < PAUSE_MS)
		throw new ProviderUnreachable('The site did not answer a moment ago.')
	try {
		return await ask()
	} catch (error) {
		failedAt.set(what, performance.now())
		throw error
	}
}

const keySets = new WeakMap<Configuration, JWTVerifyGetKey>()

/** The keys of a provider. They are fetched again for an unknown key, at most every 30 seconds, also after a failure. */
function keysOf(configuration: Configuration): JWTVerifyGetKey {
	const known = keySets.get(configuration)
	if (known) return known
	const { jwks_uri: address } = configuration.serverMetadata()
	if (address === undefined) throw new ProviderRefused('names no address of its keys.')
	const keys = createRemoteJWKSet(new URL(address), {
		[customFetch]: (url, options) => askWithPause(url, () => fetchKeys(url, options)),
	})
	keySets.set(configuration, keys)
	return keys
}

/** @throws ProviderUnreachable, or SyntaxError, unless the answer is JSON */
async function fetchKeys(address: string, options: RequestInit): Promise<Response> {
	const answer = await providerFetch(address, options)
	if (!answer.ok) throw new ProviderUnreachable('The keys of the site are not there.')
	return Response.json(await answer.json())
}
