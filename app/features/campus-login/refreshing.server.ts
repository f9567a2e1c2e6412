import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { deleteSession } from '~/features/sessions/sessions.queries.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { log } from '~/lib/log.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { replaceRefreshToken, takeCheck } from './identities.queries.server.ts'
import { refreshPurpose } from './identities.server.ts'
import { ProviderRefused, refreshLogin } from './oidc.server.ts'
import { campusSection } from './sections.server.ts'

/** Whether the campus is asked again about this session now. The answer of the request does not wait for it. It never throws. */
export function checkSoon(sessionId: number): void {
	const { isOn, endsSessions } = siteSettings(campusSection)
	if (!isOn || !endsSessions) return
	checkSession(sessionId).catch((error) => log.warn({ err: error }, 'the campus login was not asked about a session'))
}

/**
 * Asks the campus whether the member of a session still has an account there, if it was not asked lately, and ends the session if it
 * says no. A campus that does not answer, or has a problem, ends nobody's session.
 */
export async function checkSession(sessionId: number): Promise<void> {
	const settings = siteSettings(campusSection)
	const row = await takeCheck(sessionId, settings.minutes * 60)
	if (row?.provider !== 'campus') return
	const refreshToken = decryptSecret(refreshPurpose(sessionId), row.refresh_token)
	if (refreshToken === null) return
	try {
		const next = await refreshLogin(settings, { subject: row.subject, refreshToken })
		if (next !== refreshToken) await replaceRefreshToken(sessionId, encryptSecret(refreshPurpose(sessionId), next))
	} catch (error) {
		if (!(error instanceof ProviderRefused) || error.code !== 'invalid_grant') throw error
		if (!(await deleteSession(row.user_id, sessionId))) return
		await announceEndedSessions(row.user_id)
		await recordSecurityEvent('provider-ended', { userId: row.user_id })
	}
}
