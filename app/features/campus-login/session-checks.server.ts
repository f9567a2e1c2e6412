import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions, endAccessUntilLogin } from '~/features/sessions/sessions.server.ts'
import { log } from '~/lib/log.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { decryptSecret, encryptSecret } from '~/platform/encryption.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { type Claims, reportIdentityUse, wantedClaims } from './claims.server.ts'
import {
	claimSessionCheck,
	deleteOverdueSessions,
	deleteRefusedSessions,
	listProviderSessions,
	type ProviderSessionRow,
	replaceRefreshToken,
} from './identities.queries.server.ts'
import { refreshPurpose } from './identities.server.ts'
import { checkLdapEntry, ldapIssuer } from './ldap.server.ts'
import { ldapSection } from './ldap-section.server.ts'
import { ProviderRefused, refreshOidcLogin } from './oidc.server.ts'
import { requireMembersClaim } from './providers.server.ts'
import { campusSection } from './sections.server.ts'

/** Seconds since its last check after which a session is asked about again because another one was refused: no check lasts longer. */
const RECHECK_SECONDS = 60

/** Checks a session at the campus in the background, if that is due. Never throws. */
export function checkSessionSoon(sessionId: number): void {
	inBackground((ending) => checkSession(sessionId, ending))
}

/**
 * Checks in the background, if that is due, whether a member who used the site without a session is still at the campus: by their last
 * session that began there. Never throws.
 */
export function checkMemberSoon(userId: number): void {
	inBackground(async (ending) => {
		const providers = ending.map(({ provider }) => provider)
		const [last] = await listProviderSessions({ userId, providers })
		if (last !== undefined) await checkSession(last, ending)
	})
}

function inBackground(check: (ending: Way[]) => Promise<void>): void {
	const ending = ways().filter(({ endsSessions }) => endsSessions)
	if (ending.length === 0) return
	check(ending).catch((error) => log.warn({ err: error }, 'a session could not be checked with the campus login'))
}

/**
 * Checks at the campus whether the member of a session still has an account, unless that was done recently, and ends the session if not.
 * Unless another session proves that they are still there, all their access ends. If the campus fails, the session continues.
 */
export async function checkSession(sessionId: number, asked = ways()): Promise<void> {
	for (const way of asked) {
		const row = await claimSessionCheck(sessionId, way.provider, way.minutes * 60)
		if (row && (await isRefused(row, way))) await endAccess(row, [sessionId, ...(await othersRefused(row, way))])
	}
}

/** @throws ProviderUnreachable and others if the campus gave no clear answer */
async function isRefused(row: ProviderSessionRow, { ask, provider }: Way): Promise<boolean> {
	try {
		const claims = await ask(row)
		const { user_id: userId, identity_id: identityId } = row
		const campus = { name: provider, isPublic: false }
		if (claims) await reportIdentityUse(campus, { userId, identityId, claims, isLogin: false })
		return false
	} catch (error) {
		if (!(error instanceof ProviderRefused) || error.code !== 'invalid_grant') throw error
		return true
	}
}

/** The other sessions of a refused identity that the campus refuses as well: one refresh token may have expired, and another be valid. */
async function othersRefused({ session_id, identity_id }: ProviderSessionRow, way: Way): Promise<number[]> {
	const refused: number[] = []
	for (const id of await listProviderSessions({ identityId: identity_id })) {
		const row = id === session_id ? undefined : await claimSessionCheck(id, way.provider, RECHECK_SECONDS)
		if (row && (await isRefused(row, way).catch(() => false))) refused.push(id)
	}
	return refused
}

/** An enabled provider that can be asked again. */
interface Way {
	provider: string
	minutes: number
	endsSessions: boolean
	/** Returns what the provider tells of the member; null if it cannot be asked. */
	ask: (row: ProviderSessionRow) => Promise<Claims | null>
}

/** The enabled providers that can be asked again. */
function ways(): Way[] {
	return [
		{ provider: 'campus', ...siteSettings(campusSection), ask: askCampus },
		{ provider: 'ldap', ...siteSettings(ldapSection), ask: askLdap },
	].filter(({ isOn }) => isOn)
}

async function askCampus({ session_id, subject, refresh_token }: ProviderSessionRow): Promise<Claims | null> {
	const refreshToken = decryptSecret(refreshPurpose(session_id), refresh_token ?? '')
	if (refreshToken === null) return null
	const settings = siteSettings(campusSection)
	const wantsClaims = wantedClaims().length > 0 || settings.requiredClaim !== ''
	const next = await refreshOidcLogin(settings, { subject, refreshToken, wantsClaims })
	if (next.refreshToken !== refreshToken)
		await replaceRefreshToken(session_id, encryptSecret(refreshPurpose(session_id), next.refreshToken))
	requireMembersClaim(next.claims, false)
	return next.claims
}

/** A newly configured directory does not know the people of another one. */
async function askLdap({ issuer, subject }: ProviderSessionRow): Promise<Claims | null> {
	const settings = siteSettings(ldapSection)
	return issuer === ldapIssuer(settings) ? checkLdapEntry(settings, subject) : null
}

/**
 * Ends expired sessions of providers that cannot be asked again; runs every minute.
 * @throws the last error, if the end of a session could not be announced; those of the other sessions are announced
 */
export async function endOverdueSessions(): Promise<void> {
	const run = new BatchRun('the end of a session could not be announced')
	await run.each(new Set(await deleteOverdueSessions()), Number, async (userId) => {
		await recordSecurityEvent('provider-expired', { userId })
		await announceEndedSessions(userId)
	})
	run.finish()
}

async function endAccess({ user_id, identity_id }: ProviderSessionRow, sessions: number[]): Promise<void> {
	const isEnded = await db()
		.transaction()
		.execute(async (trx) => {
			if (!(await deleteRefusedSessions(trx, user_id, sessions))) return false
			const standing = await listProviderSessions({ identityId: identity_id }, trx)
			if (standing.length === 0) await endAccessUntilLogin(trx, user_id)
			return true
		})
	if (!isEnded) return
	await announceEndedSessions(user_id)
	await recordSecurityEvent('provider-ended', { userId: user_id })
}
