import { campusSection } from '~/features/campus-login/sections.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { DomainError } from '~/lib/errors.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { deleteNamedSessions, insertLogoutToken } from './campus-logout.queries.server.ts'
import {
	CLOCK_TOLERANCE_SECONDS,
	type LogoutToken,
	MAX_TOKEN_AGE_SECONDS,
	readLogoutToken,
} from './logout-token.server.ts'

/** A logout token that does not count. It is the same for every reason, which only the log tells. */
class LogoutRefused extends DomainError {
	readonly status = 400
	constructor() {
		super('This is not a valid logout token.')
	}
}

/**
 * Ends the sessions here of whoever was logged out at the campus. Sessions that began in another way, and access tokens, go on: a logout
 * does not say that somebody has left.
 * @param text the logout token
 * @param ip of the sender, for the rate limit
 * @throws LogoutRefused, also for a token that was already used; TooManyRequests. A valid token of somebody without a session is accepted.
 */
export async function receiveLogoutToken(text: string, ip: string): Promise<void> {
	await countUse('logoutTokens', null, ip)
	const settings = siteSettings(campusSection)
	if (!settings.isOn) throw new LogoutRefused()
	const token = await readLogoutToken(text, settings).catch((error: Error) => refuse(error.message))
	const members = await endSessions(token)
	for (const userId of members) {
		await announceEndedSessions(userId)
		await recordSecurityEvent('provider-logout', { userId })
	}
}

/** @returns the members whose sessions ended */
async function endSessions({ jti, ...named }: LogoutToken): Promise<number[]> {
	const hash = hashToken(JSON.stringify([named.issuer, jti]))
	// No token of this age is accepted any more.
	const seconds = MAX_TOKEN_AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS
	const members = await db()
		.transaction()
		.execute(async (trx) => ((await insertLogoutToken(trx, hash, seconds)) ? deleteNamedSessions(trx, named) : null))
	return members ?? refuse('it was already used')
}

async function refuse(reason: string): Promise<never> {
	await recordSecurityEvent('refused', { detail: { reason: `a logout token: ${reason}` } })
	throw new LogoutRefused()
}
