import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { DomainError, NotFound } from '~/lib/errors.ts'
import { hashToken, newToken } from '~/lib/secrets.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { type Answer, type Checks, ProviderRefused } from '../oidc.server.ts'
import { makeSamlRequest, readSamlResponse, samlRefused } from './saml.server.ts'
import { answerSamlRequest, insertSamlRequest, takeSamlAnswer } from './saml-requests.queries.server.ts'
import { samlSection, samlSettingsOf } from './saml-section.server.ts'

/*
 * A login by SAML in three steps. The answer comes as a form that a page of another site sends, so the browser adds none of our cookies to
 * it. It is verified and stored there, under a ticket; the browser is led on to an address of this site, where its cookies say whether
 * it is the one that began.
 */

/** Seconds that somebody may take at the login service. */
const REQUEST_SECONDS = 600
/** Seconds between the answer and the next request of the same browser. */
const TICKET_SECONDS = 60

/** Where the browser is led on to. */
const callbackPath = '/login/saml/callback'

/** The address at the login service that a login begins at, and the request that its answer has to name. */
export async function beginSamlLogin(): Promise<{ url: string; checks: Checks }> {
	const { id, url } = await makeSamlRequest(await samlSettingsOf(siteSettings(samlSection)))
	await insertSamlRequest(id, REQUEST_SECONDS)
	return { url, checks: { state: id, nonce: '', verifier: '' } }
}

/**
 * Takes the form that the login service has the browser send. It logs nobody in: whoever sends it has shown no cookie.
 * @param ip of the browser, by which answers are counted
 * @returns the path of this site at which the browser goes on, whatever came
 */
export async function takeSamlResponse(form: FormData, ip: string): Promise<string> {
	try {
		await countUse('outsideLogins', null, ip)
		const settings = siteSettings(samlSection)
		if (!settings.isOn) throw new NotFound('This site does not offer this way to log in.')
		const { requestId, answer } = await readSamlResponse(
			await samlSettingsOf(settings),
			String(form.get('SAMLResponse') ?? ''),
		)
		const ticket = newToken()
		const isTaken = await answerSamlRequest({
			id: requestId,
			ticketHash: hashToken(ticket),
			answer: encryptSecret(purposeOf(requestId), JSON.stringify(answer)),
			seconds: TICKET_SECONDS,
		})
		if (!isTaken) throw samlRefused('used')
		return `${callbackPath}?ticket=${ticket}`
	} catch (error) {
		if (!(error instanceof ProviderRefused)) {
			// The next step says what is wrong with the site, or with how often it is asked.
			if (error instanceof DomainError) return callbackPath
			throw error
		}
		await recordSecurityEvent('refused', { detail: { reason: `an answer by SAML: ${error.code}` } })
		return `${callbackPath}?refused=${error.code}`
	}
}

/**
 * Hands the answer to the browser that began, once.
 * @param returned.query of the address that it was led on to
 * @throws ProviderRefused
 */
export async function finishSamlLogin({ query, checks }: { query: string; checks: Checks }): Promise<Answer> {
	const sent = new URLSearchParams(query)
	const refusal = sent.get('refused')
	if (refusal !== null) throw samlRefused(refusal)
	const stored = await takeSamlAnswer(checks.state, hashToken(sent.get('ticket') ?? ''))
	const text = stored === undefined ? null : decryptSecret(purposeOf(checks.state), stored)
	if (text === null) throw samlRefused('used')
	return JSON.parse(text) as Answer
}

/** What the answer to a request is encrypted for. */
function purposeOf(requestId: string): string {
	return `saml_requests ${requestId}`
}
