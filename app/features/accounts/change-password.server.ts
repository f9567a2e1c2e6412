import { Invalid } from '~/lib/errors.ts'
import { parseForm } from '~/lib/parse.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { forgetResetLinks } from './accounts.queries.server.ts'
import { changePasswordInput } from './accounts.schema.ts'
import { getAccount } from './accounts.server.ts'
import { auth } from './auth.server.ts'
import { countAttempt, forgiveAttempts } from './limits.server.ts'
import { passwordProblem } from './password.server.ts'
import { domainErrors, inner } from './refusals.server.ts'
import { recordSecurityEvent } from './security-log.server.ts'
import { announceEndedSessions } from './sessions.server.ts'
import { deleteTokens } from './tokens/tokens.queries.server.ts'

/**
 * Changes the password of whoever knows the present one, and ends every other session and all access
 * tokens. Wrong tries are counted together
 * with those of logging in: both guess the same secret.
 * @returns the cookies of the session that takes this one's place
 * @throws Invalid with the field, TooMany
 */
export async function changePassword(viewer: SignedIn, form: FormData, request: Request): Promise<Headers> {
	const input = parseForm(changePasswordInput, form)
	const { email } = await getAccount(viewer)
	const address = request.headers.get('x-client-ip') ?? 'unknown'
	const problem = passwordProblem(input.newPassword)
	if (problem) throw new Invalid(problem.message, { newPassword: problem.message })
	await countAttempt('login', email, address)
	const { headers } = await sayWrong(() =>
		auth().api.changePassword({
			body: { ...input, revokeOtherSessions: true },
			headers: inner(request),
			returnHeaders: true,
		}),
	)
	await Promise.all([
		forgiveAttempts('login', email, address),
		forgetResetLinks(viewer.id),
		deleteTokens(viewer.id),
		announceEndedSessions(viewer.id, viewer.username),
	])
	await recordSecurityEvent('password-changed', { userId: viewer.id })
	return headers
}

const wrongPassword = 'That is not your current password. [INVALID_PASSWORD]'

/** The one refusal that this form meets in other words: what was typed first is not the password. */
async function sayWrong<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await domainErrors(work)
	} catch (error) {
		if (!(error instanceof Invalid) || !error.message.includes('[INVALID_PASSWORD]')) throw error
		throw new Invalid(wrongPassword, { currentPassword: wrongPassword })
	}
}
