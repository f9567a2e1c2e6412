import { confirmSession } from '~/features/accounts/security/confirmation.server.ts'
import { checkPassword, hasPassword, requireHashCapacity } from '~/features/accounts/security/credentials.server.ts'
import { requireSession } from '~/features/accounts/viewer.server.ts'
import { hasPasskey } from '~/features/passkeys/passkeys.server.ts'
import { countAttempt, resetAttempts } from '~/features/rate-limits/rate-limits.server.ts'
import { recordSecurityEvent } from '~/features/sessions/security-log.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { findSecondFactor } from './authenticators.queries.server.ts'
import { codeInput, confirmInput } from './authenticators.schema.ts'
import { consumeCode } from './second-factor.server.ts'

/* “Confirm it is you”: a member who is logged in proves their identity again. */

/** How a member can confirm their identity. */
export interface ConfirmationMethods {
	password: boolean
	/** A code of an authenticator app, or a recovery code. */
	code: boolean
	passkey: boolean
}

/** How this member can confirm their identity. A member without a password or a second factor has to log in again. */
export async function listConfirmationMethods(viewer: SignedIn): Promise<ConfirmationMethods> {
	const [password, { isOn }, passkey] = await Promise.all([
		hasPassword(viewer.id),
		findSecondFactor(viewer.id),
		hasPasskey(viewer),
	])
	return { password, code: isOn, passkey }
}

/**
 * Confirms the session of this request for ten minutes, by the member's password or, if `code` was sent, by a code. Failed attempts are
 * counted per member only: making one requires a session.
 * @throws Invalid with the field, TooManyRequests; NotAllowed if the session has ended
 */
export async function confirmIdentity(viewer: SignedIn, form: FormData, request: Request): Promise<void> {
	const typed = form.has('code') ? parseForm(codeInput, form) : parseForm(confirmInput, form)
	const sessionId = await requireSession(viewer, request)
	const counted = [['confirm-identity', String(viewer.id)]] as const
	requireHashCapacity()
	await countAttempt(counted)
	try {
		if ('code' in typed) await consumeCode(viewer.id, typed.code)
		else if (!(await checkPassword(viewer.id, typed.password))) {
			const message = 'That is not your password.'
			throw new Invalid(message, { password: message })
		}
	} catch (error) {
		if (error instanceof Invalid) await recordSecurityEvent('confirm-failed', { userId: viewer.id })
		throw error
	}
	await resetAttempts(counted)
	await confirmSession(viewer, sessionId)
}
