import { type AccountStatusRow, findAccountStatus } from '~/features/moderation/members.queries.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/** The session of a socket ended while the socket was still open. */
export class SessionEnded extends NotAllowed {}

/**
 * Who writes, whose session is good until the transaction ends.
 * @param sessionId of a socket; null where the request was just checked
 * @throws SessionEnded
 */
export async function currentWriter(
	trx: Executor,
	userId: number,
	sessionId: number | null,
): Promise<AccountStatusRow> {
	const writer = await findAccountStatus(trx, userId, sessionId)
	if (!writer) throw new SessionEnded('You were logged out. Log in again, and your messages will be sent.')
	return writer
}
