import { NotAllowed } from '~/lib/errors.ts'
import { newToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { consumeResetLink, deleteResetLinks, replaceHash, storeHash } from './passwords.queries.server.ts'
import { deleteChallenges, deleteDevices, deleteTokens, renewOnlySession } from './sessions.queries.server.ts'
import { endAllAccess, SESSION_ENDED } from './sessions.server.ts'

/*
 * Storing a new password, together with the end of everything that the old one opened: Better Auth would end it in further transactions,
 * which never come where the process is killed in between. Call `announceEndedSessions` afterwards.
 */

/**
 * Replaces a member's password. Their other sessions, access tokens, reset links and known devices become invalid.
 * @param sessionId the session that continues
 * @param change.before the hash that the present password was compared with
 * @returns the new token of that session; null if the password was changed meanwhile
 * @throws NotAllowed when the session has ended
 */
export async function replacePassword(
	userId: number,
	sessionId: number,
	{ before, hash }: { before: string; hash: string },
): Promise<string | null> {
	const token = newToken()
	return db()
		.transaction()
		.execute(async (trx) => {
			if (!(await replaceHash(trx, userId, before, hash))) return null
			await deleteResetLinks(userId, trx)
			await deleteChallenges(userId, trx)
			if (!(await renewOnlySession(trx, userId, sessionId, token))) throw new NotAllowed(SESSION_ENDED)
			await deleteTokens(userId, trx)
			await deleteDevices(userId, trx)
			return token
		})
}

/**
 * Sets a new password by a mailed link. The member's other links, sessions, access tokens and known devices become invalid.
 * @param link the hash of its token
 * @param removeCredentials called where the link confirms the address: somebody else may have registered with it, and still have a passkey
 * @returns the member; undefined for an invalid link
 */
export async function setPasswordByLink(
	link: string,
	hash: string,
	removeCredentials: (trx: Executor, userId: number) => Promise<void>,
): Promise<number | undefined> {
	return db()
		.transaction()
		.execute(async (trx) => {
			const found = await consumeResetLink(trx, link)
			if (!found) return undefined
			const { userId, isNowConfirmed } = found
			if (isNowConfirmed) await removeCredentials(trx, userId)
			await storeHash(trx, userId, hash)
			await deleteResetLinks(userId, trx)
			await endAllAccess(trx, userId)
			await deleteDevices(userId, trx)
			return userId
		})
}
