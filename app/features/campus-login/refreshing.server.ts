import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { deleteSession } from '~/features/sessions/sessions.queries.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { log } from '~/lib/log.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import {
	deleteOverdueSessions,
	type ProviderSessionRow,
	replaceRefreshToken,
	takeCheck,
} from './identities.queries.server.ts'
import { refreshPurpose } from './identities.server.ts'
import { askDirectoryAgain, directoryIssuer } from './ldap.server.ts'
import { directorySection } from './ldap-section.server.ts'
import { ProviderRefused, refreshLogin } from './oidc.server.ts'
import { campusSection } from './sections.server.ts'

/** Checks a session at the campus in the background, if that is due. Never throws. */
export function checkSoon(sessionId: number): void {
	const ending = ways().filter(({ endsSessions }) => endsSessions)
	if (ending.length === 0) return
	checkSession(sessionId, ending).catch((error) =>
		log.warn({ err: error }, 'the campus login was not asked about a session'),
	)
}

/**
 * Checks at the campus whether the member of a session still has an account, unless that was done recently, and ends the session if not. If
 * the campus fails, the session continues.
 */
export async function checkSession(sessionId: number, asked = ways()): Promise<void> {
	for (const { provider, minutes, ask } of asked) {
		const row = await takeCheck(sessionId, provider, minutes * 60)
		if (!row) continue
		try {
			await ask(row)
		} catch (error) {
			if (!(error instanceof ProviderRefused) || error.code !== 'invalid_grant') throw error
			await endSession(row)
		}
	}
}

/** The enabled providers that can be asked again. */
function ways() {
	return [
		{ provider: 'campus', ...siteSettings(campusSection), ask: askCampus },
		{ provider: 'ldap', ...siteSettings(directorySection), ask: askLdap },
	].filter(({ isOn }) => isOn)
}

async function askCampus({ session_id, subject, refresh_token }: ProviderSessionRow): Promise<void> {
	const refreshToken = decryptSecret(refreshPurpose(session_id), refresh_token ?? '')
	if (refreshToken === null) return
	const next = await refreshLogin(siteSettings(campusSection), { subject, refreshToken })
	if (next !== refreshToken) await replaceRefreshToken(session_id, encryptSecret(refreshPurpose(session_id), next))
}

/** A newly configured directory does not know the people of another one. */
async function askLdap({ issuer, subject }: ProviderSessionRow): Promise<void> {
	const settings = siteSettings(directorySection)
	if (issuer === directoryIssuer(settings)) await askDirectoryAgain(settings, subject)
}

/** Ends expired sessions of providers that cannot be asked again; runs every minute. */
export async function endOverdueSessions(): Promise<void> {
	for (const userId of new Set(await deleteOverdueSessions())) {
		await announceEndedSessions(userId)
		await recordSecurityEvent('provider-expired', { userId })
	}
}

async function endSession({ user_id, session_id }: ProviderSessionRow): Promise<void> {
	if (!(await deleteSession(user_id, session_id))) return
	await announceEndedSessions(user_id)
	await recordSecurityEvent('provider-ended', { userId: user_id })
}
