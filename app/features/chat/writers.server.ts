import type { Executor } from '~/db/db.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { findWriter, type WriterRow } from './conversations.queries.server.ts'

/** The session of a socket ended while the socket was still open. */
export class SessionEnded extends NotAllowed {}

/**
 * Who writes, whose session is good until the transaction ends.
 * @param sessionId of a socket; null where the request was just checked
 * @throws SessionEnded
 */
export async function currentWriter(trx: Executor, userId: number, sessionId: number | null): Promise<WriterRow> {
	const writer = await findWriter(trx, userId, sessionId)
	if (!writer) throw new SessionEnded('You were logged out. Log in again, and what you wrote is sent.')
	return writer
}

/** @throws NotAllowed for a suspended member, with until when and why */
export function refuseSuspended(writer: WriterRow): void {
	if (writer.suspended_until !== null) throw new NotAllowed(suspended(writer))
}

function suspended({ suspended_until: until, suspended_reason: reason }: WriterRow): string {
	const because = reason ? ` Reason: ${reason}` : ''
	if (until === 'infinity') return `You are suspended for good and cannot write here.${because}`
	const day = new Date(until ?? 0)
		.toUTCString()
		.replace(/^\w+, /, '')
		.replace(/:\d\d GMT$/, ' UTC')
	return `You are suspended until ${day} and cannot write here until then.${because}`
}
