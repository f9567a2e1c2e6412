import { countAttempt, resetAttempts } from '~/features/rate-limits/rate-limits.server.ts'
import { deviceCookieHeader, rememberDevice } from '~/features/sessions/devices.server.ts'
import { findPasswordHash } from '~/features/sessions/passwords.queries.server.ts'
import { replacePassword } from '~/features/sessions/passwords.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { announceEndedSessions } from '~/features/sessions/sessions.server.ts'
import { Invalid } from '~/lib/errors.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { findResetOwner } from '../accounts.queries.server.ts'
import { changePasswordInput, forgotInput, resetInput } from '../accounts.schema.ts'
import { getAccount } from '../accounts.server.ts'
import { auth } from '../auth.server.ts'
import { requireSession } from '../viewer.server.ts'
import { headersWithoutBody, WrongPassword, withDomainErrors } from './auth-errors.server.ts'
import { hashPassword, verifyPassword } from './credentials.server.ts'
import { passwordError } from './password-rules.server.ts'

/* Setting a new password: by a link that was mailed, or by the current one. */

/** Mails a password reset link; answers the same when nobody has the address. @throws Invalid, TooManyRequests */
export async function requestPasswordReset(form: FormData, request: Request): Promise<void> {
	const { email } = parseForm(forgotInput, form)
	await withDomainErrors(() =>
		auth().api.requestPasswordReset({ body: { email: email.toLowerCase() }, headers: headersWithoutBody(request) }),
	)
}

/**
 * Sets a new password by the token of a mail, and ends all sessions of the account.
 * @returns a cookie that makes this browser a known device, so that strangers who guess cannot lock its reader out; whether passkeys,
 * linked logins or a second factor were removed
 * @throws Invalid, TooManyRequests
 */
export async function resetPassword(form: FormData, request: Request) {
	const { token, password } = parseForm(resetInput, form)
	const owner = await findResetOwner(hashToken(`reset-password:${token}`))
	const done: { status: boolean; hasRemoved?: boolean } = await withDomainErrors(() =>
		auth().api.resetPassword({ body: { token, newPassword: password }, headers: headersWithoutBody(request) }),
	)
	const headers = new Headers()
	if (owner) headers.append('Set-Cookie', deviceCookieHeader((await rememberDevice(owner, request.headers)).cookie))
	return { headers, hasRemoved: done.hasRemoved === true }
}

/**
 * Changes the password of a member who knows the current one. Ends all other sessions and access tokens, and forgets other devices.
 * Failed attempts are counted per member, so that strangers who guess at the login page cannot block it.
 * @returns the new cookies of this session
 * @throws Invalid with the field, TooManyRequests
 */
export async function changePassword(viewer: SignedIn, form: FormData, request: Request): Promise<Headers> {
	const input = parseForm(changePasswordInput, form)
	const { email } = await getAccount(viewer)
	const problem = passwordError(input.newPassword, { ...viewer, email })
	if (problem) throw new Invalid(problem.message, { newPassword: problem.message })
	const counted = [['change-password', String(viewer.id)]] as const
	await countAttempt(counted)
	const sessionId = await requireSession(viewer, request)
	const before = (await findPasswordHash(viewer.id)) ?? ''
	if (!(await verifyPassword(before, input.currentPassword))) throw new WrongPassword()
	const hash = await hashPassword(input.newPassword)
	const token = await replacePassword(viewer.id, sessionId, { before, hash })
	if (token === null) throw new WrongPassword()
	const { headers } = await withDomainErrors(() =>
		auth().api.sendRenewedSession({ body: { token }, headers: headersWithoutBody(request), returnHeaders: true }),
	)
	await Promise.all([
		resetAttempts([...counted, ['login-account', email]]),
		announceEndedSessions(viewer.id, viewer.username, sessionId),
	])
	const { cookie } = await rememberDevice({ id: viewer.id, email }, request.headers)
	headers.append('Set-Cookie', deviceCookieHeader(cookie))
	await recordSecurityEvent('password-changed', { userId: viewer.id })
	return headers
}
