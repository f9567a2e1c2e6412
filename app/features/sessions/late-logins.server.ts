import { APIError } from 'better-auth/api'
import { remember } from '~/lib/remember.ts'
import { type RequestScope, requestScope } from '~/lib/request-scope.server.ts'
import { lockPasswordHash } from './passwords.queries.server.ts'
import { deleteSessionByToken } from './sessions.queries.server.ts'
import { announceEndedSessions } from './sessions.server.ts'

/*
 * Logins that were under way while something they rest on, such as the password, was changed or removed: the member's sessions
 * ended before the new one began. Code that changes such a thing changes it first, and ends the sessions afterwards.
 */

/** What a login rests on. */
export interface LoginBasis {
	/** Whether it is still there, after waiting for a change that is not committed yet. */
	isStillValid: (userId: number) => Promise<boolean>
	refusal?: { code?: string; message: string }
}

const bases = remember('bases-of-logins', () => new WeakMap<RequestScope, LoginBasis>())

const changedRefusal = { message: 'What you logged in with was changed in the meantime. Log in again.' }
/** As Better Auth writes it. */
const wrongPasswordRefusal = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' }

/** Notes what the login of this request rests on. */
export function setLoginBasis(basis: LoginBasis): void {
	const scope = requestScope()
	if (scope) bases.set(scope, basis)
}

/** Notes the hash that the password of this request is compared with. @returns the hash */
export function noteCompared(hash: string): string {
	setLoginBasis({
		isStillValid: async (userId) => hash === (await lockPasswordHash(userId)),
		refusal: wrongPasswordRefusal,
	})
	return hash
}

function basisOfRequest(): LoginBasis | undefined {
	const scope = requestScope()
	return scope && bases.get(scope)
}

/**
 * Requires that what a login rests on is still there. Call it once the session, or the wait for the second step, is stored: whoever
 * changes it afterwards ends that too.
 * @param end ends what was stored
 * @throws APIError; for a changed password as for a wrong one
 */
export async function requireLoginBasis(
	userId: number,
	end: () => Promise<unknown>,
	basis = basisOfRequest(),
): Promise<void> {
	if (!basis || (await basis.isStillValid(userId))) return
	await end()
	throw new APIError('UNAUTHORIZED', basis.refusal ?? changedRefusal)
}

/** {@link requireLoginBasis} for a session that has just begun. @returns the session */
export async function requireSessionBasis(
	begun: { session: { token: string }; user: { id: string } },
	basis?: LoginBasis,
): Promise<{ token: string; userId: number }> {
	const { token } = begun.session
	const userId = Number(begun.user.id)
	const end = async () => {
		await deleteSessionByToken(token)
		await announceEndedSessions(userId)
	}
	await requireLoginBasis(userId, end, basis)
	return { token, userId }
}
