import { withFreshRole } from '~/features/moderation/members.server.ts'
import { maySeeUnpublished } from '~/features/moderation/moderation.policy.ts'
import type { QuestionPageView } from '~/features/questions/question.view.ts'
import { questionTag } from '~/features/questions/questions.events.ts'
import { isClosed } from '~/features/questions/questions.policy.ts'
import type { QuestionMarks } from '~/features/questions/questions.queries.server.ts'
import { getDiscussed } from '~/features/questions/questions.server.ts'
import { relatedTag } from '~/features/related/related.server.ts'
import type { AskedView } from '~/features/routing/routing.view.ts'
import { permalinkOf, questionUrl } from '~/features/search/search.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { isId } from '~/lib/checks.ts'
import { NoSuch } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { cachedPage } from '~/platform/cache/cached-page.ts'
import { sharedData } from '~/platform/cache/pages.server.ts'
import { decodeCursor, decodeIdCursor, encodeCursor, invalidCursor, type Page } from '~/platform/http/cursors.ts'
import {
	type Asker,
	type CommentSort,
	type CommentView,
	isStanding,
	presentComment,
	presentThread,
} from './comment.view.ts'
import {
	type CommentPath,
	type CommentPlaceRow,
	type CommentRow,
	type CommentRows,
	countBelow,
	findAnyComment,
	findCommentPath,
	findCommentPlace,
	LEVELS_PER_PAGE,
	listBestRows,
	listCommentRows,
	listSolutionRows,
} from './comments.queries.server.ts'
import { withMarks } from './votes.server.ts'

/** Maximum threads, and maximum comments in all, on one page. */
const MAX_THREADS = 30
const MAX_COMMENTS = 200

interface CommentsPage<Comment> extends Page<Comment> {
	/** The id of the question's newest comment, on any page; 0 for none. */
	newest: number
	solutions: Comment[]
	/** The viewer's own state of the question. */
	marks: QuestionMarks
	/** What the viewer sees of the members who were asked. */
	asked: AskedView
}

interface CommentsInput extends Asker {
	questionId: number
	/** The order of threads; replies are always in order of time. Oldest first by default. */
	sort?: CommentSort
	/** Where the previous page ended, in the same order. */
	cursor?: string | null
	/** The id of a comment to show alone, with its replies. */
	thread?: number
}

/**
 * One page of a question's comments as threads, oldest first, four levels deep, with its solutions. A thread that does
 * not fit moves to the next page; one too long for any page has the number of hidden replies. Those are read with
 * `thread`, and paged in the same way.
 * @throws NotFound for a thread that is not in this question; Invalid for a malformed cursor
 */
export async function listComments(
	viewer: Viewer,
	{ questionId, sort, cursor, thread, ...asker }: CommentsInput,
): Promise<CommentsPage<CommentView>> {
	const read = () => readComments(questionId, { isBest: sort === 'best' && thread === undefined, cursor, thread })
	// Visitors' pages are cached whole. Rarely read pages are not worth the memory.
	const isShared = viewer !== null && !cursor && thread === undefined
	const { rows, solutions, newest, next } = isShared
		? await sharedData(`comments ${questionId} ${sort ?? 'oldest'}`, [questionTag(questionId)], read)
		: await read()
	// A session may remember an old role; hidden texts are shown by the current one.
	const reader = rows.some((row) => row.status !== 'published' && row.status !== 'deleted')
		? await withFreshRole(viewer)
		: viewer
	const threads = presentThread(reader, rows, asker)
	const chosen = solutions.map((row) => presentComment(reader, row, asker))
	const { comments, ...own } = await withMarks(viewer, questionId, [...threads, ...chosen])
	return { rows: comments.slice(0, threads.length), newest, solutions: comments.slice(threads.length), next, ...own }
}

/** The rows of one page of comments, the same for all readers. @throws as {@link listComments} */
async function readComments(
	questionId: number,
	{ isBest, cursor, thread }: { isBest: boolean } & Pick<CommentsInput, 'cursor' | 'thread'>,
): Promise<Omit<CommentsPage<CommentRow>, 'marks' | 'asked'>> {
	const size = { questionId, threads: MAX_THREADS, comments: MAX_COMMENTS }
	const above = thread === undefined ? null : await findThread(questionId, thread)
	const [found, solutions] = await Promise.all([
		isBest
			? listBestRows({ ...size, after: cursor ? bestPlace(cursor) : null })
			: listCommentRows({ ...size, above, after: cursor ? decodeIdCursor(cursor) : 0 }),
		listSolutionRows(questionId),
	])
	const { rows, last, more } = await fitting(questionId, found, above)
	const next = more && last ? encodeCursor(isBest ? [last.score, last.id] : [last.id]) : null
	return { rows, solutions, newest: found.newest, next }
}

/** @throws Invalid */
function bestPlace(cursor: string): { score: number; id: number } {
	const [score, id] = decodeCursor(cursor, 2)
	if (!Number.isInteger(score) || Math.abs(Number(score)) >= 2 ** 31 || !isId(id)) throw invalidCursor()
	return { score: Number(score), id }
}

/** One comment with its replies; a pending one only for its author. @throws NotFound when it, or the page that shows it, is gone */
export async function getComment(viewer: Viewer, id: number): Promise<CommentView> {
	const found = isId(id) ? await findAnyComment(id) : undefined
	if (!found || !isStanding(viewer, found)) throw new NoSuch('comment')
	const question = await getDiscussed(viewer, found.id)
	const { rows } = await listComments(viewer, { questionId: found.id, ...askerForApi(question), thread: id })
	if (!rows[0]) throw new NoSuch('comment')
	return rows[0]
}

/** The author of a question, for its comments. */
export function askerOf({ author, own }: Pick<QuestionPageView, 'author' | 'own'>): Asker {
	return { askerUsername: author.username, isMine: own }
}

/** {@link askerOf}, and whether the question is closed: programs read from its comments what is possible. */
export function askerForApi(question: QuestionPageView): Asker {
	return { ...askerOf(question), isClosed: isClosed(question) }
}

/**
 * The address that shows a comment: its question's first page, the thread of its parent, or its own thread. For a comment that this
 * viewer may not see any more, the comments of its question.
 * @returns `inAnyOrder`: whether that address shows it in every order of the comments
 * @throws NotFound when they may not see that either
 */
export async function findCommentUrl(
	viewer: Viewer,
	id: number,
): Promise<{ url: string; gone: boolean; inAnyOrder: boolean }> {
	const place = isId(id) ? await findCommentPlace(id, MAX_THREADS, MAX_COMMENTS) : undefined
	if (!place) throw new NoSuch('comment')
	const isMerged = place.question_status === 'merged'
	const isOpen = isMerged || place.question_status === 'published' || place.question_status === 'deleted'
	const reader = isOpen && place.shown ? viewer : await withFreshRole(viewer)
	if (!isOpen && !maySeeUnpublished(reader, { authorId: place.asker_id })) throw new NoSuch('comment')
	const address = questionUrl({ ...place, id: place.question_id })
	const page = place.question_status === 'deleted' ? permalinkOf(address) : address
	const original = isMerged ? '1' : null
	const isVisible =
		place.shown || (place.status !== 'deleted' && maySeeUnpublished(reader, { authorId: place.author_id }))
	if (!isVisible) return { url: `${withParams(page, { original })}#comments`, gone: true, inAnyOrder: true }
	const thread = threadOf(place)
	const inAnyOrder = thread === null && place.comments <= MAX_THREADS
	return { url: `${withParams(page, { original, thread })}#comment-${id}`, gone: false, inAnyOrder }
}

/** The comment whose thread shows this one; null where the question's first page does. */
function threadOf({ id, ...place }: CommentPlaceRow): number | null {
	const { depth, parent_id, heads_before, siblings_before, comments } = place
	const isOnFirstPage = depth < LEVELS_PER_PAGE && heads_before < MAX_THREADS && comments <= MAX_COMMENTS
	const isBesideParent = parent_id !== null && siblings_before < MAX_THREADS && comments <= MAX_COMMENTS
	return isOnFirstPage ? null : isBesideParent ? parent_id : id
}

async function findThread(questionId: number, id: number) {
	const place = isId(id) ? await findCommentPath(questionId, id) : undefined
	if (!place) throw new NoSuch('comment')
	return place
}

/** Leaves out the last thread if it does not fit; a single one is shown as far as possible, and the rest counted. */
async function fitting(
	questionId: number,
	{ rows, heads }: Pick<CommentRows, 'rows' | 'heads'>,
	above: CommentPath | null,
) {
	const lead = above ? rows.slice(0, 1) : []
	const threads = above ? rows.slice(1) : rows
	const starts = threads.filter((row) => row.depth === (above ? above.depth + 1 : 0))
	const last = starts.at(-1)
	if (threads.length <= MAX_COMMENTS || !last) return { rows, last, more: heads > starts.length }
	if (starts.length > 1)
		return { rows: [...lead, ...threads.slice(0, threads.indexOf(last))], last: starts.at(-2), more: true }
	const shown = threads.slice(0, MAX_COMMENTS)
	const told = shown.reduce((sum, row) => sum + row.hidden + (row.status !== 'published' || row === last ? 0 : 1), 0)
	last.hidden = (await countBelow(questionId, last.path)) - told
	return { rows: [...lead, ...shown], last, more: heads > 1 }
}

/** A question's page, which visitors get from the cache. */
export const questionPage = cachedPage({
	path: '/forum/:category/:username/:id/:slug?',
	where: { category: /^(?!(?:category|tag|edit|history|comment)$)/, id: /^[1-9]\d{0,9}$/ },
	searchParams: ['cursor', 'merged', 'original', 'sort', 'thread'],
	memberSearchParams: ['delete', 'delete-comment', 'edit', 'reply'],
	tags: ({ id }) => [questionTag(Number(id)), relatedTag(Number(id))],
})
