import { z } from 'zod'
import { LINKED } from '~/features/account-linking/account-linking.view.ts'
import { requireSession, viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { capitalize } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { readCookie, setCookieHeader } from '~/platform/http/cookies.ts'
import { safeRedirect } from '~/platform/http/http.ts'
import { loginsPath } from './campus-login.view.ts'
import { logInByIdentity } from './identities.server.ts'
import { linkIdentity } from './linked-logins.server.ts'
import { ProviderRefused } from './oidc.server.ts'
import { ProviderUnreachable } from './provider-fetch.server.ts'
import { type Provider, providerNames, requireProvider } from './providers.server.ts'

/*
 * A login that goes to another site and comes back. Its state is in an encrypted cookie, so that only the browser that started it can
 * finish it (no login CSRF).
 */

/** Seconds that a login may take at the other site. */
const FLOW_SECONDS = 600
const purpose = 'login_flow'

const flow = z.object({
	provider: z.string(),
	state: z.string(),
	nonce: z.string(),
	verifier: z.string(),
	/** The member who links the identity; null for a login. */
	linkTo: z.number().nullable(),
	redirectTo: z.string(),
	/** Milliseconds since 1970. */
	until: z.number(),
})

interface Begun {
	/** At the other site. */
	url: string
	/** The name of the provider, on the button and in sentences. */
	title: string
	headers: Headers
}

/**
 * Starts a login.
 * @param options.linkTo the member who links the identity; null for a login
 * @throws NotFound, TooManyRequests, NotAllowed with the problem at the other site
 */
export async function beginFlow(
	name: string,
	options: { viewer: Viewer; linkTo: number | null; redirectTo: unknown; ip: string },
): Promise<Begun> {
	const provider = requireProvider(name)
	await countUse('outsideLogins', options.viewer, options.ip)
	const { url, checks } = await withProviderMessages(provider, provider.begin)
	const text = JSON.stringify({
		...checks,
		provider: name,
		linkTo: options.linkTo,
		redirectTo: safeRedirect(options.redirectTo, '/find-dev'),
		until: Date.now() + FLOW_SECONDS * 1_000,
	} satisfies z.input<typeof flow>)
	const headers = new Headers({
		'Set-Cookie': setCookieHeader('login_flow', encryptSecret(purpose, text), FLOW_SECONDS),
	})
	return { url, title: providerNames[name] ?? name, headers }
}

interface Finished {
	redirectTo: string
	message: string
	headers: Headers
}

/** The callback is that of an earlier login than the pending one, which is still valid. */
class AnotherLogin extends NotAllowed {}

/** A Set-Cookie header that ends a pending login: it is valid for one callback. */
export function clearFlowCookie(): string {
	return setCookieHeader('login_flow', '', 0)
}

/** Whether a pending login is still valid after an error of its callback. */
export function isStillPending(error: unknown): boolean {
	return error instanceof AnotherLogin
}

/** Finishes a login at the callback. @throws NotFound, NotAllowed, Conflict, Invalid, TooManyRequests with a message for the person */
export async function finishFlow(name: string, request: Request, viewer: Viewer, ip: string): Promise<Finished> {
	const provider = requireProvider(name)
	await countUse('outsideLogins', viewer, ip)
	const begun = readFlow(request)
	if (begun?.provider !== name) {
		await recordSecurityEvent('refused', { detail: { reason: 'a login that this browser did not begin' } })
		throw new NotAllowed('This login was not started in this browser, or took longer than ten minutes. Start again.')
	}
	const { search: query, searchParams } = new URL(request.url)
	if ((searchParams.get('state') ?? begun.state) !== begun.state) {
		await recordSecurityEvent('refused', { detail: { reason: 'a login that this browser has begun anew since' } })
		throw new AnotherLogin('You began to log in again in another tab. Go on there, or start again.')
	}
	const answer = await withProviderMessages(provider, () => provider.finish({ query, checks: begun }))
	if (begun.linkTo === null) {
		const { headers, isNew, leadsTo } = await logInByIdentity(provider, answer, request)
		return { redirectTo: leadsTo ?? begun.redirectTo, message: isNew ? 'Welcome!' : 'Welcome back!', headers }
	}
	// Another member, or nobody, may be logged in by now.
	const { viewer: owner } = await viewerFromRequest(request, { fresh: true })
	if (owner?.id !== begun.linkTo)
		throw new NotAllowed('You were logged out in the meantime. Log in, and link it again.')
	await requireSession(owner, request)
	await linkIdentity(owner, provider, answer)
	return { redirectTo: loginsPath, message: LINKED, headers: new Headers() }
}

/** Where the browser continues after the login that it started. */
export function destinationOf(request: Request): string {
	return readFlow(request)?.redirectTo ?? '/find-dev'
}

/** The state of the login that this browser started; null if there is none, or it is expired or forged. */
function readFlow(request: Request): z.output<typeof flow> | null {
	const text = decryptSecret(purpose, readCookie(request.headers.get('Cookie'), 'login_flow') ?? '')
	const parsed = text === null ? null : flow.safeParse(JSON.parse(text))
	return parsed?.success && parsed.data.until > Date.now() ? parsed.data : null
}

/** Runs a step at the other site and turns its errors into messages. @throws NotAllowed */
export async function withProviderMessages<Result>({ name }: Provider, step: () => Promise<Result>): Promise<Result> {
	const who = providerNames[name] ?? name
	const title = capitalize(who)
	try {
		return await step()
	} catch (error) {
		if (error instanceof ProviderUnreachable)
			throw new NotAllowed(`${title} does not answer right now. Try again in a few minutes, or log in another way.`)
		if (!(error instanceof ProviderRefused)) throw error
		// With SAML, whose responses name no state, it may be the response to an earlier login. A response counts once, so ignoring this
		// one is safe.
		const Refusal = error.code === 'used' ? AnotherLogin : NotAllowed
		throw new Refusal(`${title} ${error.message}`)
	}
}
