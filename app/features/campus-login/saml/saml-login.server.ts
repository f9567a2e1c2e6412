import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { DomainError, NotFound } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { readText } from '~/platform/http/form.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { type LoginChecks, type ProviderIdentity, ProviderRefused } from '../oidc.server.ts'
import { makeSamlRequest, readSamlResponse, samlError } from './saml.server.ts'
import { answerSamlRequest, consumeSamlAnswer, insertSamlRequest } from './saml-requests.queries.server.ts'
import { samlSection, samlSettingsOf } from './saml-section.server.ts'

/*
 * A login by SAML in three steps. The response is a cross-site form post, without our cookies. It is verified and stored under a ticket,
 * and the browser is redirected to a page of this site, where its cookie shows whether it started the login.
 */

/** Seconds that a login may take at the identity provider. */
const REQUEST_SECONDS = 600
/** Seconds between the response and the browser's next request. */
const TICKET_SECONDS = 60

/** The page that the browser is redirected to. */
const callbackPath = '/login/saml/callback'

/** The address at the identity provider that starts a login, and the request that the response must name. */
export async function beginSamlLogin(): Promise<{ url: string; checks: LoginChecks }> {
	const { id, url } = await makeSamlRequest(await samlSettingsOf(siteSettings(samlSection)))
	await insertSamlRequest(id, REQUEST_SECONDS)
	return { url, checks: { state: id, nonce: '', verifier: '' } }
}

/**
 * Verifies and stores a posted response. It does not log in, as the post has no cookies.
 * @param ip of the browser, for the rate limit
 * @returns the path that the browser is redirected to, whatever the result
 */
export async function receiveSamlResponse(form: FormData, ip: string): Promise<string> {
	try {
		await countUse('outsideLogins', null, ip)
		const settings = siteSettings(samlSection)
		if (!settings.isOn) throw new NotFound('This site does not offer this way to log in.')
		const { requestId, answer } = await readSamlResponse(await samlSettingsOf(settings), readText(form, 'SAMLResponse'))
		const ticket = newToken()
		const isTaken = await answerSamlRequest({
			id: requestId,
			ticketHash: hashToken(ticket),
			answer: encryptSecret(purposeOf(requestId), JSON.stringify(answer)),
			seconds: TICKET_SECONDS,
		})
		if (!isTaken) throw samlError('used')
		return `${callbackPath}?ticket=${ticket}`
	} catch (error) {
		if (!(error instanceof ProviderRefused)) {
			// The next step shows domain errors.
			if (error instanceof DomainError) return callbackPath
			throw error
		}
		await recordSecurityEvent('refused', { detail: { reason: `an answer by SAML: ${error.code}` } })
		return `${callbackPath}?refused=${error.code}`
	}
}

/**
 * Hands the response to the browser that started the login, once.
 * @param returned.query of the page it was redirected to
 * @throws ProviderRefused
 */
export async function finishSamlLogin({
	query,
	checks,
}: {
	query: string
	checks: LoginChecks
}): Promise<ProviderIdentity> {
	const sent = new URLSearchParams(query)
	const refusal = sent.get('refused')
	if (refusal !== null) throw samlError(refusal)
	const stored = await consumeSamlAnswer(checks.state, hashToken(sent.get('ticket') ?? ''))
	const text = stored === undefined ? null : decryptSecret(purposeOf(checks.state), stored)
	if (text === null) throw samlError('used')
	return JSON.parse(text) as ProviderIdentity
}

/** The purpose of encrypting the response to a request. */
function purposeOf(requestId: string): string {
	return `saml_requests ${requestId}`
}
