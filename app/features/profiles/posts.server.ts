import { config } from '~/config.server.ts'
import { isPseudonym } from '~/features/members/pseudonyms.queries.server.ts'
import { listPending, listQuestions } from '~/features/question-lists/lists.server.ts'
import { atomFeed } from '~/features/question-lists/xml.server.ts'
import type { AnswerView, QuestionCardView } from '~/features/questions/question.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { LIST_PAGES, sharedData } from '~/platform/cache/pages.server.ts'
import type { Page } from '~/platform/http/cursors.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { countPosts, listAnswers } from './answers.server.ts'
import { findAuthor } from './profiles.queries.server.ts'
import { type PostCounts, type PostKind, postKinds } from './profiles.view.ts'

/** Rows per page of a profile's list. */
const POSTS_PER_PAGE = 10

/** The list that an address asks for; questions by default. */
export function postKindOf(asked: string | null): PostKind {
	return postKinds.find(({ kind }) => kind === asked)?.kind ?? 'queries'
}

/** The address of a pseudonym's question, since mentions link to its profile, which does not exist; null for any other name. */
export async function findPseudonymsQuestion(username: string): Promise<string | null> {
	const author = username.toLowerCase()
	if (!(await isPseudonym(author))) return null
	const { rows } = await listQuestions(null, { author, limit: 1 })
	return rows[0]?.url ?? null
}

/** Entries of a member's feed. */
const FEED_ENTRIES = 20

/**
 * The newest questions, answers and comments of a member as an Atom feed: what everybody may read in the forum under
 * their name. Posts under pseudonyms are left out.
 * @throws NotFound for a name without public posts, so that the feed does not reveal whether it exists
 */
export async function getMemberFeed(username: string): Promise<string> {
	const list = { author: username.toLowerCase(), cursor: null, limit: FEED_ENTRIES }
	const { publicUrl } = config()
	const member = await findAuthor(list.author)
	if (!member) throw new NotFound('No Data Found !')
	const [questions, ...answers] = await Promise.all([
		listQuestions(null, list),
		listAnswers({ ...list, which: 'answers', mine: false }),
		listAnswers({ ...list, which: 'comments', mine: false }),
	])
	const comments = answers.flatMap(({ rows }) => rows)
	if (questions.rows.length + comments.length === 0) throw new NotFound('No Data Found !')
	const path = profilePath(member.username)
	const entries = [
		...questions.rows,
		...comments.map((comment) => ({
			...comment,
			title: `Re: ${comment.title}`,
			author: member,
			category: null,
			tags: [],
		})),
	]
	return atomFeed({
		title: `${member.name} · ${siteName()}`,
		path,
		feedPath: `${path}/feed.atom`,
		publicUrl,
		questions: entries.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)).slice(0, FEED_ENTRIES),
	})
}

/**
 * A page of a member's posts, newest first, with the count of each kind: what everybody may read in the forum.
 * @param list.mine whether the viewer sees their own list, which includes posts under pseudonyms, and comments below merged and
 * deleted queries; these are not counted
 * @returns `pending`: above the first page of their own questions, those that wait for a moderator
 * @throws NotFound for an unknown member, Invalid for an invalid cursor
 */
export async function listPosts(
	viewer: Viewer,
	author: string,
	{ kind, cursor, mine = false }: { kind: PostKind; cursor: string | null; mine?: boolean },
): Promise<{ page: Page<QuestionCardView | AnswerView>; pending: QuestionCardView[]; counts: PostCounts }> {
	const isOwn = mine && viewer?.username === author
	const list = { author, cursor, limit: POSTS_PER_PAGE, mine: isOwn }
	const [page, pending, counts] = await Promise.all([
		kind === 'queries' ? listQuestions(viewer, list) : listAnswers({ ...list, which: kind }),
		isOwn && kind === 'queries' && cursor === null ? listPending(viewer) : [],
		// The same for all readers, until something is posted in the forum.
		sharedData(`posts of ${author}`, [LIST_PAGES], () => countPosts(author)),
	])
	return { page, pending, counts }
}
