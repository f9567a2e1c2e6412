import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { presentDeleted, presentQuestion, type QuestionPageView } from './question.view.ts'
import { undoTime } from './questions.policy.ts'
import { findDeletedQuestion, findQuestion, findQuestionVote } from './questions.queries.server.ts'
import { findUnpublished } from './status/status.server.ts'

/** One question; one that is not published is there for its author and for moderators. @throws NotFound when there is none or it was deleted */
export async function getQuestion(viewer: Viewer, id: number): Promise<QuestionPageView> {
	const [row, vote] = await Promise.all([
		isId(id) ? findQuestion(id) : undefined,
		viewer && isId(id) ? findQuestionVote(viewer.id, id) : (0 as const),
	])
	const question = row ? presentQuestion(viewer, row, vote) : isId(id) ? await findUnpublished(viewer, id) : null
	if (!question) throw new NotFound(noQuestion)
	return question
}

const noQuestion = 'There is no such query. It may have been deleted.'

/** One question, or what is left of one that was deleted after others had answered it. @throws NotFound */
export async function getDiscussed(viewer: Viewer, id: number): Promise<QuestionPageView> {
	try {
		return await getQuestion(viewer, id)
	} catch (error) {
		if (!(error instanceof NotFound)) throw error
		const deleted = isId(id) ? await findDeletedQuestion(id, undoTime) : undefined
		if (!deleted?.discussed) throw error
		return presentDeleted(deleted)
	}
}
