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
	reasonAgainst,
} from './logout-token.server.ts'

/** The refusal of a logout token. It is the same for every reason; only the log says why. */
class LogoutRefused extends DomainError {
	readonly status = 400
	constructor() {
		super('This is not a valid logout token.')
	}
}

/**
 * Ends this site's sessions of a person who was logged out at the campus. Sessions that began in another way and access tokens
 * continue: a logout does not mean that somebody has left.
 * @param text the logout token
 * @param ip of the sender, for the limit of tokens that are refused: one address sends those of everybody
 * @throws LogoutRefused, also for a token that was already used; TooManyRequests. A valid token of somebody without a session is
 * accepted.
 */
export async function receiveLogoutToken(text: string, ip: string): Promise<void> {
	const settings = siteSettings(campusSection)
	if (!settings.isOn) throw new LogoutRefused()
	const token = await readLogoutToken(text, settings).catch((error: unknown) => refuse(reasonAgainst(error), ip))
	const members = (await endSessions(token)) ?? (await refuse('it was already used', ip))
	for (const userId of members) {
		await announceEndedSessions(userId)
		await recordSecurityEvent('provider-logout', { userId })
	}
}

/** @returns the members whose sessions ended; null for a token that was already used */
async function endSessions({ jti, ...named }: LogoutToken): Promise<number[] | null> {
	const hash = hashToken(JSON.stringify([named.issuer, jti]))
	// No token of this age is accepted any more, also where the clock of the database differs.
	const seconds = MAX_TOKEN_AGE_SECONDS + 3 * CLOCK_TOLERANCE_SECONDS
	return db()
		.transaction()
		.execute(async (trx) => ((await insertLogoutToken(trx, hash, seconds)) ? deleteNamedSessions(trx, named) : null))
}

async function refuse(reason: string, ip: string): Promise<never> {
	await countUse('logoutTokens', null, ip)
	await recordSecurityEvent('refused', { detail: { reason: `a logout token: ${reason}` } })
	throw new LogoutRefused()
}
