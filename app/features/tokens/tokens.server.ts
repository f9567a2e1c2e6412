import { randomBytes } from 'node:crypto'
import { config } from '~/config.server.ts'
import { getAccount } from '~/features/accounts/accounts.server.ts'
import { notifyMemberActive } from '~/features/accounts/login-methods.server.ts'
import { isSecondFactorRequiredOfStaff } from '~/features/accounts/security/second-step.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { securingAdvice } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { requireStandingSession } from '~/features/sessions/sessions.server.ts'
import { isId } from '~/lib/checks.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { setRequestMember } from '~/lib/request-scope.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { isModerator, type SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { linkMail } from '~/platform/mail/mail.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import {
	countForNewToken,
	deleteToken,
	findTokenHolder,
	insertToken,
	listTokenRows,
	touchToken,
} from './tokens.queries.server.ts'
import { tokenInput } from './tokens.schema.ts'
import { type TokenScope, type TokenView, tokenLimits } from './tokens.view.ts'

/** A fixed prefix lets secret scanners recognize leaked tokens. */
const prefix = 'dq_'
const shape = /^dq_[\w-]{43}$/

/** The member's tokens, newest first. */
export async function listTokens(viewer: SignedIn): Promise<TokenView[]> {
	const rows = await listTokenRows(viewer.id)
	return rows.map((row) => ({
		id: row.id,
		name: row.name,
		lastFour: row.last_four,
		scopes: row.scopes,
		createdAt: row.created_at.toISOString(),
		expiresAt: row.expires_at.toISOString(),
		expired: row.expires_at.getTime() <= Date.now(),
		lastUsedAt: row.last_used_at?.toISOString() ?? null,
	}))
}

/**
 * Creates a token and notifies its owner by mail.
 * @param input name, scopes (a list), days
 * @returns the token, which is shown once, as only its hash is stored
 * @throws NotAllowed for a suspended member, Invalid with errors per field, or if the member has too many
 */
export async function makeToken(viewer: SignedIn, input: Record<string, unknown>): Promise<{ token: string }> {
	const { name, scopes, days } = parseInput(tokenInput, input)
	if (scopes.includes('moderate') && !isModerator(viewer)) {
		const message = 'Only moderators can create a token that moderates.'
		throw new Invalid(message, { scopes: message })
	}
	const { email } = await getAccount(viewer)
	const token = prefix + randomBytes(32).toString('base64url')
	await db()
		.transaction()
		.execute(async (trx) => {
			const count = await countForNewToken(trx, viewer.id)
			await requireMayWrite(viewer.id, trx)
			await requireStandingSession(trx)
			if (count >= tokenLimits.perMember)
				throw new Invalid(`You can have at most ${tokenLimits.perMember} tokens. Revoke one that you do not need.`)
			await insertToken(trx, {
				userId: viewer.id,
				name,
				hash: hashToken(token),
				lastFour: token.slice(-4),
				scopes,
				days,
			})
			const advice = await securingAdvice(viewer.id, trx)
			await addJob('send-mail', newTokenMail(email, { name, scopes, days }, advice), trx)
		})
	await recordSecurityEvent('token-created', { userId: viewer.id, detail: { scopes: scopes.join(' '), days } })
	return { token }
}

/** Revokes a token of the member at once. @throws NotFound if it is not theirs */
export async function revokeToken(viewer: SignedIn, id: number): Promise<void> {
	if (!isId(id) || !(await deleteToken(viewer.id, id))) throw new NotFound('This token has already been revoked.')
	await recordSecurityEvent('token-revoked', { userId: viewer.id })
}

/** The member and the scopes of a token. */
export interface TokenGrant {
	viewer: SignedIn
	scopes: TokenScope[]
}

/**
 * Authenticates a token. It is looked up for every request, so that revocations and changes of roles take effect at once. Without the scope
 * `moderate`, or the second factor that the site requires of staff, a moderator's token has the permissions of a plain member.
 * @returns null for an invalid token
 */
export async function authenticateToken(token: string): Promise<TokenGrant | null> {
	const holder = shape.test(token) ? await findTokenHolder(hashToken(token)) : undefined
	if (!holder) return null
	const { user, scopes, hasSecondFactor } = holder
	if (holder.stale) {
		await touchToken(holder.token_id)
		notifyMemberActive(user.id)
	}
	setRequestMember(user.id)
	const actsAsStaff = scopes.includes('moderate') && (hasSecondFactor || !isSecondFactorRequiredOfStaff())
	return { viewer: { ...user, role: actsAsStaff ? user.role : 'member' }, scopes }
}

function newTokenMail(
	email: string,
	{ name, scopes, days }: { name: string; scopes: TokenScope[]; days: number },
	advice: string,
) {
	const { publicUrl } = config()
	const text = `An access token named “${name}” was created for your ${siteName()} account. For ${days} days, anyone who has it can act as you. Its permissions: ${scopes.join(', ')}.`
	const link = { label: 'See my tokens', url: `${publicUrl}/settings` }
	const closing = `If this was not you, ${advice}.`
	return linkMail(email, `A new access token for ${siteName()}`, text, link, closing)
}
