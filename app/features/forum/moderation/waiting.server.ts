import type { Executor } from '~/db/db.server.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { closeCase } from './cases.queries.server.ts'
import { lockStanding } from './posting.queries.server.ts'
import { dropWaiting } from './waiting.queries.server.ts'

/**
 * Deletes a text that waits and that the caller holds, and settles its case: no moderator has to look at it any more. A
 * suspended author may: it is their own.
 */
export async function withdraw(trx: Executor, author: SignedIn, kind: 'query' | 'comment', id: number): Promise<void> {
	await dropWaiting(trx, kind, id)
	// The author's row is locked before any case, as whoever judges does.
	const standing = await lockStanding(trx, author.id)
	if (!standing) throw new NotAllowed('This account is gone.')
	await closeCase(trx, kind, id)
}

/** A moderator was faster than the author of a text that waited. */
export function decidedMeanwhile(): Conflict {
	return new Conflict('A moderator has decided about this meanwhile. Load the page again.')
}
