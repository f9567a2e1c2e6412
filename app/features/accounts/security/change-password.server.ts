import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { parseForm } from '~/platform/http/form.server.ts'
import { forgetResetLinks } from '../accounts.queries.server.ts'
import { changePasswordInput } from '../accounts.schema.ts'
import { getAccount } from '../accounts.server.ts'
import { auth } from '../auth.server.ts'
import { deleteDevices } from '../sessions/devices.queries.server.ts'
import { headerOf, rememberDevice } from '../sessions/devices.server.ts'
import { announceEndedSessions } from '../sessions/sessions.server.ts'
import { deleteTokens } from '../tokens/tokens.queries.server.ts'
import { countAttempt, forgetAttempts } from './limits.server.ts'
import { passwordError } from './password-rules.server.ts'
import { domainErrors, inner } from './refusals.server.ts'
import { recordSecurityEvent } from './security-log.server.ts'

/**
 * Changes the password of whoever knows the present one, and ends every other session and all access
 * tokens; other devices are no longer known. Wrong tries are counted for the member alone, so that strangers who guess at the
 * login page keep nobody from it.
 * @returns the cookies of the session that takes this one's place
 * @throws Invalid with the field, TooMany
 */
export async function changePassword(viewer: SignedIn, form: FormData, request: Request): Promise<Headers> {
	const input = parseForm(changePasswordInput, form)
	const { email } = await getAccount(viewer)
	const problem = passwordError(input.newPassword, { ...viewer, email })
	if (problem) throw new Invalid(problem.message, { newPassword: problem.message })
	const counted = [['change-password', String(viewer.id)]] as const
	await countAttempt(counted)
	const { headers } = await domainErrors(() =>
		auth().api.changePassword({
			body: { ...input, revokeOtherSessions: true },
			headers: inner(request),
			returnHeaders: true,
		}),
	)
	await Promise.all([
		forgetAttempts([...counted, ['login-account', email]]),
		forgetResetLinks(viewer.id),
		deleteTokens(viewer.id),
		announceEndedSessions(viewer.id, viewer.username),
	])
	await deleteDevices(viewer.id)
	headers.append('Set-Cookie', headerOf((await rememberDevice({ id: viewer.id, email }, request.headers)).cookie))
	await recordSecurityEvent('password-changed', { userId: viewer.id })
	return headers
}
