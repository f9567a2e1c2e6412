import { countPosts, listAnswers } from '~/features/discussion/answers.server.ts'
import type { AnswerView } from '~/features/discussion/comment.view.ts'
import { isPseudonym } from '~/features/members/pseudonyms.queries.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { Page, QuestionCardView } from '~/features/questions/question.view.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { type PostCounts, type PostKind, postKinds } from './profiles.view.ts'

/** Rows of a page of a profile's list. */
const POSTS_PER_PAGE = 10

/** Which list an address asks for: that of questions unless it names another one. */
export function postKindOf(asked: string | null): PostKind {
	return postKinds.find(({ kind }) => kind === asked)?.kind ?? 'queries'
}

/** Where a pseudonym's question is, as a mention of it leads to its profile, which is none; null for any other name. */
export async function findPseudonymsQuestion(username: string): Promise<string | null> {
	const author = username.toLowerCase()
	if (!(await isPseudonym(author))) return null
	const { rows } = await listQuestions(null, { author, limit: 1 })
	return rows[0]?.url ?? null
}

/**
 * A page of what a member wrote, newest first, and how much there is of each kind: what everybody may read in the forum.
 * @param list.mine whether the viewer sees their own as only they do, with what they wrote under pseudonyms; that is not counted
 * @throws NotFound for an unknown member, Invalid for a cursor that is not ours
 */
export async function listPosts(
	viewer: Viewer,
	author: string,
	{ kind, cursor, mine = false }: { kind: PostKind; cursor: string | null; mine?: boolean },
): Promise<{ page: Page<QuestionCardView | AnswerView>; counts: PostCounts }> {
	const list = { author, cursor, limit: POSTS_PER_PAGE, mine: mine && viewer?.username === author }
	const [page, counts] = await Promise.all([
		kind === 'queries' ? listQuestions(viewer, list) : listAnswers({ ...list, solutions: kind === 'solutions' }),
		countPosts(author),
	])
	return { page, counts }
}
