import type { LoaderFunctionArgs } from 'react-router'
import { currentUsername } from '~/features/identity/usernames/former-names.server.ts'
import { findUserId } from '~/features/members/members.queries.server.ts'
import { listAccountIds } from '~/features/members/pseudonyms.queries.server.ts'
import {
	presentCard,
	presentQuestion,
	type QuestionCardView,
	type QuestionPageView,
} from '~/features/questions/question.view.ts'
import {
	countSince,
	findMostDiscussed,
	highestId,
	type ListView,
	listPendingRows,
	listQuestionAddresses,
	listRows,
	listTagRows,
	type QuestionRow,
	questionColumns,
	questionJoins,
	readQuestionCount,
} from '~/features/questions/questions.queries.server.ts'
import { listPinnedRows } from '~/features/questions/status/pins.queries.server.ts'
import { describeOperators, findMatches } from '~/features/search/search.server.ts'
import { questionUrl, type SearchFallback } from '~/features/search/search.view.ts'
import { getCategory, getTag } from '~/features/tags/tags.server.ts'
import { storable } from '~/lib/clean.ts'
import { viewerOf } from '~/lib/context.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { type CachedPage, cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES, sharedData, sharedWhenRepeated } from '~/platform/cache/pages.server.ts'
import { decodeTimeCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import type { ListData, UnansweredView } from './lists.view.ts'

/* Reading lists of questions. A page takes a fixed number of statements, whatever the size of the forum. */

interface ListInput {
	/** Filters: slug of a category, name of a tag, username of an author. */
	category?: string
	tag?: string
	/** The tag's id, if known, to save a lookup. */
	tagId?: number
	author?: string
	/** Whether to include the viewer's own questions under pseudonyms. */
	mine?: boolean
	view?: ListView
	/** A search; the list is then ordered by relevance. */
	search?: string
	/** Whether a search matches exact words only. */
	isExact?: boolean
	/** The cursor of the previous page. */
	cursor?: string | null
	/** At most 50. */
	limit?: number
}

/**
 * A page of a list; the first one also has the pinned questions, and that of a search what it shows instead and the number of ranked
 * questions.
 */
type FoundPage = Page<QuestionCardView> & { instead?: SearchFallback; found?: number; pinned?: QuestionCardView[] }

/** Characters of a search; the rest is ignored. */
const MAX_SEARCH_LENGTH = 200

/**
 * One page of questions, newest first unless a view or a search orders them otherwise.
 * @throws NotFound for an unknown category, tag or author; Invalid for an invalid cursor, and for the view `active` of a tag together with
 * another filter
 */
export async function listQuestions(viewer: Viewer, input: ListInput): Promise<FoundPage> {
	const limit = Math.min(input.limit ?? 20, 50)
	const words = input.search
		?.replace(/\p{Cc}+/gu, ' ')
		.trim()
		.slice(0, MAX_SEARCH_LENGTH)
	const [category, author] = await Promise.all([
		input.category ? getCategory(input.category) : null,
		input.author ? authorId(input.author) : null,
	])
	const mine = input.mine === true && viewer !== null && viewer.id === author
	const authors = author === null ? undefined : mine ? await listAccountIds(author) : [author]
	if (words) return search(viewer, { ...input, search: words, categoryId: category?.id, authors, mine, limit })
	const view = input.view ?? 'newest'
	if (input.tag && (category || authors))
		return search(viewer, {
			...input,
			...(await narrowedTag(viewer, input.tag, view)),
			categoryId: category?.id,
			authors,
			mine,
			limit,
		})
	const cursor = input.cursor ? decodeTimeCursor(input.cursor) : null
	const rows = input.tag
		? await tagRows(input.tagId ?? (await getTag(viewer, input.tag)).id, { view, cursor, limit: limit + 1 })
		: await rowsOf({
				view,
				categoryId: category?.id,
				authorId: author ?? undefined,
				mine,
				cursor,
				limit: limit + 1,
			})
	const isFirst = cursor === null && view === 'newest' && !input.tag && author === null
	const pinned = isFirst ? await pinnedRows(category?.id) : []
	const shown = page(
		rows,
		limit,
		(row) => presentCard(viewer, row),
		(row) => [view === 'active' ? row.active_at : row.created_at, row.id],
	)
	return pinned.length === 0 ? shown : { ...shown, pinned: pinned.map((row) => presentCard(viewer, row)) }
}

/**
 * A tag in a category or of an author, as a search without words: that reads a rare combination without walking through the whole tag.
 * @throws NotFound for an unknown tag; Invalid for the order that a search does not have
 */
async function narrowedTag(viewer: Viewer, tag: string, view: ListView) {
	if (view === 'active')
		throw new Invalid('A tag together with a category or an author cannot be listed by activity. Leave out `view`.', {
			view: 'Not for a tag together with a category or an author.',
		})
	const { name } = await getTag(viewer, tag)
	return { tag: name, search: view === 'newest' ? '' : `is:${view}`, isExact: true }
}

/** The viewer's own questions that wait for a moderator, newest first. */
export async function listPending(viewer: SignedIn): Promise<QuestionCardView[]> {
	return (await listPendingRows(viewer.id)).map((row) => presentCard(viewer, row))
}

/** The pinned questions of the forum or a category. As rows are cached, a pin is shown for up to a minute after it expires at midnight. */
function pinnedRows(categoryId: number | undefined): Promise<QuestionRow[]> {
	return sharedData(`pinned ${categoryId}`, [LIST_PAGES], () => listPinnedRows(categoryId))
}

/** Rows of the forum, a category or an author. First pages are shared by all readers, except what only the author sees. */
function rowsOf(filter: Parameters<typeof listRows>[0]): Promise<QuestionRow[]> {
	const { view, categoryId, authorId, mine, cursor, limit } = filter
	if (cursor !== null || mine) return listRows(filter)
	return sharedData(`list ${view} ${categoryId} ${authorId} ${limit}`, [LIST_PAGES], () => listRows(filter))
}

/** As {@link rowsOf}, for a tag. */
function tagRows(tagId: number, filter: Omit<Parameters<typeof listTagRows>[0], 'tagId'>): Promise<QuestionRow[]> {
	const { view, cursor, limit } = filter
	if (cursor !== null) return listTagRows({ tagId, ...filter })
	return sharedData(`tag ${tagId} ${view} ${limit}`, [LIST_PAGES], () => listTagRows({ tagId, ...filter }))
}

/** The number of questions in the forum. */
export function countQuestions(): Promise<number> {
	return sharedData('count', [LIST_PAGES], readQuestionCount)
}

/** The number of questions since a time, at most 1,000. */
export const countAskedSince = countSince

/** The newest unanswered questions. */
export async function listUnanswered(limit: number): Promise<UnansweredView[]> {
	const rows = await rowsOf({ view: 'unanswered', cursor: null, limit })
	return rows.map((row) => ({ url: questionUrl(row), title: row.title, createdAt: row.created_at }))
}

/** The most discussed question since a time, or else of all time; null without comments. */
export async function mostDiscussed(since: Date): Promise<QuestionPageView | null> {
	const row = (await findMostDiscussed(since)) ?? (await findMostDiscussed(new Date(0)))
	return row ? presentQuestion(null, row) : null
}

/** The addresses on a page of the sitemap, at most 5,000. */
export async function listForSitemap(number: number): Promise<{ url: string; changedAt: string }[]> {
	const rows = await listQuestionAddresses((number - 1) * 5_000 + 1)
	return rows.map((row) => ({
		url: questionUrl(row),
		changedAt: row.changed_at,
	}))
}

/** The number of pages of the sitemap, at least one. */
export async function countSitemapPages(): Promise<number> {
	return Math.max(1, Math.ceil((await highestId()) / 5_000))
}

async function authorId(username: string): Promise<number> {
	const name = await currentUsername(storable(username).toLowerCase())
	// Needs no cache tag: renames and merges of accounts invalidate everything.
	const id = await sharedData(`author ${name}`, [], () => findUserId(name))
	if (id === undefined) throw new NotFound('There is no such member.')
	return id
}

/** The questions that a search finds, without the texts that their excerpts were taken from. */
async function findRows(asked: Parameters<typeof findMatches>[1]) {
	const found = await findMatches({ columns: questionColumns, joins: questionJoins }, asked)
	if (!found.ranked) return found
	return { ...found, rows: found.rows.map(({ description_start: _, ...row }) => row) }
}

async function search(
	viewer: Viewer,
	input: ListInput & { search: string; categoryId: number | undefined; authors: number[] | undefined; limit: number },
): Promise<FoundPage> {
	const { search, categoryId, authors, isExact = false, cursor = null } = input
	const tag = input.tag === undefined ? undefined : storable(input.tag).toLowerCase()
	const asked = { search, categoryId, authors, tag, cursor, limit: input.limit + 1, isExact }
	// As in `rowsOf`.
	const isShared = cursor === null && !input.mine
	const found = await (isShared
		? sharedWhenRepeated(`search ${JSON.stringify(asked)}`, [LIST_PAGES], () => findRows(asked))
		: findRows(asked))
	const shown = found.ranked
		? page(
				found.rows,
				input.limit,
				({ match, ...row }) => ({ ...presentCard(viewer, row), ...match }),
				(row) => [row.rank, row.id],
			)
		: page(
				found.rows,
				input.limit,
				(row) => presentCard(viewer, row),
				(row) => [row.created_at, row.id],
			)
	return {
		...shown,
		...(found.instead && { instead: found.instead }),
		...(found.ranked && { found: found.rows[0]?.found ?? 0 }),
	}
}

function page<Row extends QuestionRow, View>(
	rows: Row[],
	limit: number,
	present: (row: Row) => View,
	key: (row: Row) => (string | number)[],
): Page<View> {
	const { rows: shown, next } = pageOf(rows, limit, key)
	return { rows: shown.map(present), next }
}

/* The three list pages, which are cached for visitors. */

const listParams = ['cursor', 'q', 'view'] as const

/** A page whose loader is {@link loadList}. */
type ListRoute = CachedPage<(typeof listParams)[number]>

export const recentPage: ListRoute = cachedPage({
	path: '/forum',
	searchParams: listParams,
	tags: () => [LIST_PAGES],
})

export const categoryPage: ListRoute = cachedPage({
	path: '/forum/category/:slug',
	searchParams: listParams,
	tags: () => [LIST_PAGES],
})

export const tagPage: ListRoute = cachedPage({
	path: '/forum/tag/:tag',
	searchParams: listParams,
	memberSearchParams: ['describe'],
	tags: () => [LIST_PAGES],
})

export const listPages = [recentPage, categoryPage, tagPage]

/**
 * The page of a list for an address: `?q=` searches, `?view=` orders, `?cursor=` pages.
 * @throws NotFound for an unknown category or tag, Invalid for an invalid cursor
 */
export async function loadList(
	route: ListRoute,
	{ context, url, request }: Pick<LoaderFunctionArgs, 'context' | 'url' | 'request'>,
	scope: { category?: string; tag?: string; tagId?: number },
): Promise<ListData> {
	const asked = route.read(url)
	const search = asked.q?.trim().slice(0, MAX_SEARCH_LENGTH) ?? ''
	const hasViews = !search
	const view = hasViews ? viewOf(asked.view) : 'newest'
	const cursor = asked.cursor || null
	const {
		instead = null,
		found: _,
		pinned = [],
		...page
	} = await listQuestions(viewerOf(context), { ...scope, search, view, cursor })
	const tools = search ? { ...describeOperators(search), instead } : null
	return { page: omitFromDocument('rows', page, request), pinned, cursor, view, search, tools, hasViews }
}

/**
 * Makes a property of the loader data non-enumerable: React Router then omits it from the document, where the browser parses it from the
 * HTML (`document-rows.ts`), but the server can still render it. Data requests get everything.
 */
export function omitFromDocument<Name extends string, Data extends Record<Name, unknown>>(
	name: Name,
	data: Data,
	request: Request,
): Data {
	if (new URL(request.url).pathname.endsWith('.data')) return data
	return Object.defineProperty({ ...data }, name, { enumerable: false })
}

const listViews: readonly ListView[] = ['active', 'unanswered', 'unsolved', 'solved']

function viewOf(text: string | null): ListView {
	return listViews.find((view) => view === text) ?? 'newest'
}
