import type { Flash } from '~/lib/context.ts'
import { Conflict, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { closeCase } from './cases.queries.server.ts'
import { waitingMessage } from './moderation.present.ts'
import { lockStanding } from './posting.queries.server.ts'
import { dropWaiting, findChangeableComment, findChangeableQuery } from './waiting.queries.server.ts'

/** Whether a text that a member has just written or changed waits for a moderator, to tell them so. */
export async function isWaiting(author: SignedIn, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const found = await (kind === 'query' ? findChangeableQuery : findChangeableComment)(id, author.id)
	return found?.waits === true
}

/** What is said after a query was written or changed: that it is done, and where it waits for a moderator, that it does. */
export async function flashAfter(author: SignedIn, queryId: number, done: string): Promise<Flash> {
	if (!(await isWaiting(author, 'query', queryId))) return { type: 'success', message: done }
	return { type: 'plain', message: `${done} ${waitingMessage}` }
}

/**
 * Deletes a text that waits and that the caller holds, and settles its case: no moderator has to look at it any more. A
 * suspended author may: it is their own.
 */
export async function withdraw(trx: Executor, author: SignedIn, kind: 'query' | 'comment', id: number): Promise<void> {
	await dropWaiting(trx, kind, id)
	// The author's row is locked before any case, as whoever judges does.
	const standing = await lockStanding(trx, author.id)
	if (!standing) throw new NotAllowed('This account no longer exists.')
	await closeCase(trx, kind, id)
}

/** A moderator was faster than the author of a text that waited. */
export function decidedMeanwhile(): Conflict {
	return new Conflict('A moderator has already decided this. Reload the page.')
}
