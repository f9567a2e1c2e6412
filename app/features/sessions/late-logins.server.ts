import { APIError } from 'better-auth/api'
import { remember } from '~/lib/remember.ts'
import { type RequestScope, requestScope } from '~/lib/request-scope.server.ts'
import { lockPasswordHash } from './passwords.queries.server.ts'
import { deleteSessionByToken } from './sessions.queries.server.ts'
import { announceEndedSessions } from './sessions.server.ts'

/*
 * Logins that were under way while what they rest on was changed or removed: the member's sessions were ended before theirs began.
 * Whoever changes it changes that first, and ends sessions afterwards.
 */

/** What a login rests on. */
export interface Ground {
	/** Whether it is still there, after waiting for a change that is not committed yet. */
	stands: (userId: number) => Promise<boolean>
	refusal?: { code?: string; message: string }
}

const grounds = remember('grounds-of-logins', () => new WeakMap<RequestScope, Ground>())

const changed = { message: 'What you logged in with was changed in the meantime. Log in again.' }
/** As Better Auth writes it. */
const wrongPassword = { message: 'Invalid email or password', code: 'INVALID_EMAIL_OR_PASSWORD' }

/** Notes what the login of this request rests on. */
export function restLoginOn(ground: Ground): void {
	const scope = requestScope()
	if (scope) grounds.set(scope, ground)
}

/** Notes the hash that the password of this request is compared with. @returns the hash */
export function noteCompared(hash: string): string {
	restLoginOn({ stands: async (userId) => hash === (await lockPasswordHash(userId)), refusal: wrongPassword })
	return hash
}

function groundOfRequest(): Ground | undefined {
	const scope = requestScope()
	return scope && grounds.get(scope)
}

/**
 * Requires that what a login rests on is still there. Call it once the session, or the wait for the second step, is stored: whoever
 * changes it afterwards ends that too.
 * @param end ends what was stored
 * @throws APIError; for a changed password as for a wrong one
 */
export async function requireGround(
	userId: number,
	end: () => Promise<unknown>,
	ground = groundOfRequest(),
): Promise<void> {
	if (!ground || (await ground.stands(userId))) return
	await end()
	throw new APIError('UNAUTHORIZED', ground.refusal ?? changed)
}

/** {@link requireGround} for a session that has just begun. @returns the session */
export async function requireGroundOfSession(
	begun: { session: { token: string }; user: { id: string } },
	ground?: Ground,
): Promise<{ token: string; userId: number }> {
	const { token } = begun.session
	const userId = Number(begun.user.id)
	const end = async () => {
		await deleteSessionByToken(token)
		await announceEndedSessions(userId)
	}
	await requireGround(userId, end, ground)
	return { token, userId }
}
