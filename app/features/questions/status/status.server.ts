import { closeCase } from '~/features/moderation/cases.queries.server.ts'
import { withFreshRole } from '~/features/moderation/members.server.ts'
import { mayChangePending, maySeeUnpublished } from '~/features/moderation/moderation.policy.ts'
import { waitingMessage } from '~/features/moderation/moderation.view.ts'
import { lockAuthor } from '~/features/moderation/posting.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import type { Flash } from '~/lib/context.ts'
import { Conflict } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import type { QuestionPageView } from '../question.view.ts'
import { presentQuestion, presentStatus } from '../question.view.ts'
import { setStatus } from '../writing/writing.queries.server.ts'
import { findChangeableComment, findChangeableQuestion } from './pending.queries.server.ts'
import { findMergedRow, findPlaceOfQuestion, findUnpublishedRow } from './status.queries.server.ts'

/* Posts that are not visible to everybody: those that wait for a moderator, and those that one hid or merged. */

/** Whether a text that a member has just written or changed waits for a moderator, to tell them so. */
export async function isWaiting(author: SignedIn, kind: 'query' | 'comment', id: number): Promise<boolean> {
	const found = await (kind === 'query' ? findChangeableQuestion : findChangeableComment)(id, author.id)
	return found?.waits === true
}

/** What is said after a question was written or changed: that it is done, and where it waits for a moderator, that it does. */
export async function flashAfter(author: SignedIn, questionId: number, done: string): Promise<Flash> {
	if (!(await isWaiting(author, 'query', questionId))) return { type: 'success', message: done }
	return { type: 'plain', message: `${done} ${waitingMessage}` }
}

/**
 * Deletes a text that waits and that the caller holds, and settles its case: no moderator has to look at it any more. A
 * suspended author may: it is their own. Nobody is named as who did it: bringing it back would let it pass without a moderator.
 */
export async function withdraw(trx: Executor, author: SignedIn, kind: 'query' | 'comment', id: number): Promise<void> {
	await setStatus(trx, kind, id, { status: 'deleted', by: null })
	// The author's row is locked before any case, as whoever judges does.
	await lockAuthor(trx, author.id)
	await closeCase(trx, kind, id)
}

/** A moderator was faster than the author of a text that waited. */
export function decidedMeanwhile(): Conflict {
	return new Conflict('A moderator has already decided this. Reload the page.')
}

/**
 * A question that is out of the forum, for whoever may still read it: its author and moderators, and of a merged one everybody.
 * While it is out, its author alone changes one that waits, and nobody any other.
 */
export async function findUnpublished(viewer: Viewer, id: number): Promise<QuestionPageView | null> {
	const row = await findUnpublishedRow(id)
	if (!row) return null
	const unpublished = presentStatus(row)
	if (!unpublished) return null
	const owned = { authorId: row.author_id }
	if (unpublished.status !== 'merged' && !maySeeUnpublished(await withFreshRole(viewer), owned)) return null
	const mayChange = mayChangePending(viewer, { ...owned, status: unpublished.status })
	return { ...presentQuestion(viewer, row), mayEdit: mayChange, mayDelete: mayChange, locked: true, unpublished }
}

/** The address that a merged query leads to; null for a query that was not merged. */
export async function mergedAddress(question: QuestionPageView): Promise<string | null> {
	if (question.unpublished?.status !== 'merged') return null
	const merged = await findMergedRow(question.id)
	const place = merged && (await findPlaceOfQuestion(merged.merged_into))
	return place ? `${questionUrl(place)}?merged=${question.id}` : null
}

/** The question that a reader came from, if it was merged into this one: its title, and where it can be read as it was. */
export async function mergedFrom(id: number, into: number): Promise<{ title: string; url: string } | null> {
	const row = await findMergedRow(id)
	return row?.merged_into === into ? { title: row.title, url: `${questionUrl(row)}?original=1` } : null
}
