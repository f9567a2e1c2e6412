import { APIError } from 'better-auth/api'
import { remember } from '~/lib/remember.ts'
import { type RequestScope, requestScope } from '~/lib/request-scope.server.ts'
import { deleteSessionByToken, lockPasswordHash } from './sessions.queries.server.ts'
import { announceEndedSessions } from './sessions.server.ts'

/* Logins that were under way while their password was changed: its sessions were ended before theirs began. */

/** The hash that the password of a request was compared with. */
const hashes = remember('compared-hashes', () => new WeakMap<RequestScope, string>())

/** Notes the hash that the password of this request is compared with. @returns the hash */
export function noteCompared(hash: string): string {
	const scope = requestScope()
	if (scope) hashes.set(scope, hash)
	return hash
}

/**
 * Ends the session of this request's login if its password is no longer the member's. Call it once the session is stored: whoever changes
 * the password afterwards ends it too.
 * @returns the session
 * @throws APIError as for a wrong password
 */
export async function requireUnchangedPassword(begun: {
	session: { token: string }
	user: { id: string }
}): Promise<{ token: string; userId: number }> {
	const { token } = begun.session
	const userId = Number(begun.user.id)
	const scope = requestScope()
	const hash = scope && hashes.get(scope)
	if (hash === undefined || hash === (await lockPasswordHash(userId))) return { token, userId }
	await deleteSessionByToken(token)
	await announceEndedSessions(userId)
	// As Better Auth writes it.
	throw new APIError('UNAUTHORIZED', { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' })
}
