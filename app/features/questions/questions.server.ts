import { withFreshRole } from '~/features/moderation/members.server.ts'
import { mayChangePending, mayDeleteUnpublished, maySeeUnpublished } from '~/features/moderation/moderation.policy.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { NoSuch } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { sharedData } from '~/platform/cache/pages.server.ts'
import { presentDeleted, presentQuestion, presentStatus, type QuestionPageView } from './question.view.ts'
import { questionTag } from './questions.events.ts'
import { UNDO_SECONDS } from './questions.policy.ts'
import {
	findDeletedQuestion,
	findNamedQuestion,
	findQuestion,
	findQuestionMarks,
	type NamedQuestion,
	type QuestionPageRow,
} from './questions.queries.server.ts'
import { findMergedRow, findQuestionAddress, findUnpublishedRow } from './status/status.queries.server.ts'

/** One question; unpublished ones only for their author and moderators. @throws NotFound when there is none or it was deleted */
export async function getQuestion(viewer: Viewer, id: number): Promise<QuestionPageView> {
	const [row, marks] = await Promise.all([
		isId(id) ? readQuestion(viewer, id) : undefined,
		viewer && isId(id) ? findQuestionMarks(viewer.id, id) : undefined,
	])
	const question = row ? presentQuestion(viewer, row, marks) : isId(id) ? await findUnpublished(viewer, id) : null
	if (!question) throw new NoSuch('query')
	return question
}

/** The title, address and author of a published question. @throws NotFound */
export async function requireQuestion(id: number): Promise<NamedQuestion> {
	const question = isId(id) ? await findNamedQuestion(id) : undefined
	if (!question) throw new NoSuch('query')
	return question
}

/** Members share its cached row; visitors share the cached page. */
function readQuestion(viewer: Viewer, id: number): Promise<QuestionPageRow | undefined> {
	const read = () => findQuestion(id)
	return viewer ? sharedData(`question ${id}`, [questionTag(id)], read) : read()
}

/**
 * One question, or the remains of one that was deleted after others had commented. The viewer's own state is not included: it is
 * read with that of the comments.
 * @throws NotFound
 */
export async function getDiscussed(viewer: Viewer, id: number): Promise<QuestionPageView> {
	if (!isId(id)) throw new NoSuch('query')
	const row = await readQuestion(viewer, id)
	if (row) return presentQuestion(viewer, row)
	const unpublished = await findUnpublished(viewer, id)
	if (unpublished) return unpublished
	const deleted = await findDeletedQuestion(id, UNDO_SECONDS)
	if (!deleted?.discussed) throw new NoSuch('query')
	return presentDeleted(deleted)
}

/** Whether this viewer can read a question's page, or what remains of it: whether {@link getDiscussed} finds it. */
export async function isReadable(viewer: Viewer, id: number): Promise<boolean> {
	try {
		await getDiscussed(viewer, id)
		return true
	} catch (error) {
		if (error instanceof NoSuch) return false
		throw error
	}
}

/* Questions that not everybody sees: pending, hidden and merged ones. */

/**
 * An unpublished question, for whoever may still read it: its author and moderators; for a merged one, everybody. Only the author
 * may change it, while it is pending, and delete it, also while it is merged.
 */
async function findUnpublished(viewer: Viewer, id: number): Promise<QuestionPageView | null> {
	const row = await findUnpublishedRow(id)
	if (!row) return null
	const unpublished = presentStatus(row)
	if (!unpublished) return null
	const owned = { authorId: row.author_id }
	if (unpublished.status !== 'merged' && !maySeeUnpublished(await withFreshRole(viewer), owned)) return null
	const own = { ...owned, status: unpublished.status }
	const may = { mayEdit: mayChangePending(viewer, own), mayDelete: mayDeleteUnpublished(viewer, own) }
	return { ...presentQuestion(viewer, row), ...may, locked: true, unpublished }
}

/**
 * The question that this one was merged into, with the address to redirect to: null where that question has been hidden or deleted, so
 * that this one is read instead.
 * @returns null for a question that was not merged
 */
export async function mergedInto(question: QuestionPageView): Promise<{ id: number; url: string | null } | null> {
	if (question.unpublished?.status !== 'merged') return null
	const merged = await findMergedRow(question.id)
	if (!merged) return null
	const place = await findQuestionAddress(merged.merged_into)
	return { id: merged.merged_into, url: place ? `${questionUrl(place)}?merged=${question.id}` : null }
}

/** The question that a reader was redirected from, if it was merged into this one: its title, and where it can still be read. */
export async function mergedFrom(id: number, into: number): Promise<{ title: string; url: string } | null> {
	const row = await findMergedRow(id)
	return row?.merged_into === into ? { title: row.title, url: `${questionUrl(row)}?original=1` } : null
}
