import { marked, markedPassage } from '~/features/search/marks.ts'
import { commentMatches } from '~/features/search/passages.server.ts'
import { findMatches } from '~/features/search/search.server.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeTimeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { presentCard, presentQuery, presentWithdrawn, queryUrl } from '../comment.view.ts'
import { findDeletedQuery, isOpenQuery, listNewerComments } from '../discussion/discussion.queries.server.ts'
import { findQueryVote } from '../discussion/votes.queries.server.ts'
import type { CategoryView, Page, QueryCardView, QueryPageView, TagPageView, TagView } from '../question.view.ts'
import { undoTime } from '../questions.policy.ts'
import {
	countSince,
	findCategory,
	findMostDiscussed,
	findQuery,
	findTag,
	findUserId,
	highestId,
	isFollowingCategory,
	type ListView,
	listAddresses,
	listCategoryRows,
	listRows,
	listTagCounts,
	listTagRows,
	type QueryRow,
	readQueryCount,
} from '../questions.queries.server.ts'
import { findWithheld } from '../status/status.server.ts'

export type { ListView }
export { isOpenQuery, listNewerComments }

/* The use cases that read. A page costs a fixed number of them, whatever the size of the forum. */

interface ListInput {
	/** Slug of a category, name of a tag, username of an author: what the list is narrowed to. */
	category?: string
	tag?: string
	/** The tag's id where the caller has it, which spares looking it up again. */
	tagId?: number
	author?: string
	view?: ListView
	/** Words to search for; the list is then ordered by how well it matches. */
	search?: string
	/** Where the page before ended. */
	cursor?: string | null
	/** At most 50. */
	limit?: number
}

/** Characters of a search that are looked at. */
const longestSearch = 200

/**
 * One page of queries, newest first unless the view or a search says otherwise.
 * @throws NotFound for an unknown category, tag or author; Invalid for a cursor that is not ours
 */
export async function listQueries(viewer: Viewer, input: ListInput): Promise<Page<QueryCardView>> {
	const limit = Math.min(input.limit ?? 20, 50)
	const words = input.search
		?.replace(/\p{Cc}+/gu, ' ')
		.trim()
		.slice(0, longestSearch)
	const [category, author] = await Promise.all([
		input.category ? getCategory(input.category) : null,
		input.author ? authorId(input.author) : null,
	])
	if (words) return search(viewer, { ...input, search: words, categoryId: category?.id, limit })
	const cursor = input.cursor ? decodeTimeCursor(input.cursor) : null
	const view = input.view ?? 'newest'
	const rows = input.tag
		? await listTagRows({ tagId: input.tagId ?? (await getTag(viewer, input.tag)).id, view, cursor, limit: limit + 1 })
		: await listRows({ view, categoryId: category?.id, authorId: author ?? undefined, cursor, limit: limit + 1 })
	return page(
		rows,
		limit,
		(row) => presentCard(viewer, row),
		(row) => [view === 'active' ? row.active_at : row.created_at, row.id],
	)
}

/** A category and how many queries it has. @throws NotFound */
async function getCategory(slug: string): Promise<CategoryView & { id: number }> {
	const category = await findCategory(storable(slug))
	if (!category) throw new NotFound('There is no such category.')
	return { id: category.id, slug: category.slug, title: category.title, count: category.query_count }
}

/** A category with whether the viewer follows it. @throws NotFound */
export async function getCategoryPage(viewer: Viewer, slug: string): Promise<CategoryView & { following: boolean }> {
	const { id, ...category } = await getCategory(slug)
	return { ...category, following: viewer !== null && (await isFollowingCategory(viewer.id, id)) }
}

/** A tag with what its page says of it, by its name or another spelling. @throws NotFound */
export async function getTag(viewer: Viewer, name: string): Promise<TagPageView> {
	const tag = await findTag(storable(name).toLowerCase(), viewer?.id ?? null)
	if (!tag) throw new NotFound('There is no such tag.')
	const { query_count: count, ...rest } = tag
	return { ...rest, count }
}

/** Every category, in the order of the site. */
export async function listCategories(): Promise<CategoryView[]> {
	const rows = await listCategoryRows()
	return rows.map((row) => ({ slug: row.slug, title: row.title, count: row.query_count }))
}

/** The most used tags. */
export async function listTags(limit: number): Promise<TagView[]> {
	const rows = await listTagCounts(Math.min(limit, 500))
	return rows.map((row) => ({ name: row.name, count: row.query_count }))
}

/** How many queries the forum has. */
export const countQueries = readQueryCount

/** How many queries were asked since a time, at most 1,000. */
export const countAskedSince = countSince

/** The newest queries that nobody answered. */
export async function listWaiting(limit: number): Promise<{ url: string; title: string; createdAt: string }[]> {
	const rows = await listRows({ view: 'unanswered', cursor: null, limit })
	return rows.map((row) => ({ url: queryUrl(row), title: row.title, createdAt: row.created_at }))
}

/** The query that was talked about most since a time, else of all time; null while there is none with comments. */
export async function mostDiscussed(since: Date): Promise<QueryPageView | null> {
	const row = (await findMostDiscussed(since)) ?? (await findMostDiscussed(new Date(0)))
	return row ? presentQuery(null, row) : null
}

/** One query; one that is withheld is there for its author and for moderators. @throws NotFound when there is none or it was deleted */
export async function getQuery(viewer: Viewer, id: number): Promise<QueryPageView> {
	const [row, vote] = await Promise.all([
		isId(id) ? findQuery(id) : undefined,
		viewer && isId(id) ? findQueryVote(viewer.id, id) : (0 as const),
	])
	const query = row ? presentQuery(viewer, row, vote) : isId(id) ? await findWithheld(viewer, id) : null
	if (!query) throw new NotFound(noQuery)
	return query
}

const noQuery = 'There is no such query. It may have been deleted.'

/** One query, or what is left of one that was deleted after others had answered it. @throws NotFound */
export async function getDiscussed(viewer: Viewer, id: number): Promise<QueryPageView> {
	try {
		return await getQuery(viewer, id)
	} catch (error) {
		if (!(error instanceof NotFound)) throw error
		const deleted = isId(id) ? await findDeletedQuery(id, undoTime) : undefined
		if (!deleted?.withdrawn) throw error
		return presentWithdrawn(deleted)
	}
}

/** Pages of the sitemap and what stands on one, at most 5,000 addresses. */
export async function listForSitemap(number: number): Promise<{ url: string; changedAt: string }[]> {
	const rows = await listAddresses((number - 1) * 5_000 + 1)
	return rows.map((row) => ({
		url: queryUrl({ id: row.id, username: row.username, category_slug: row.slug }),
		changedAt: row.changed_at,
	}))
}

/** How many pages the sitemap has, at least one. */
export async function countSitemapPages(): Promise<number> {
	return Math.max(1, Math.ceil((await highestId()) / 5_000))
}

/** An address may hold what no row can: PostgreSQL refuses NUL even as something to look for. */
function storable(text: string): string {
	return text.replaceAll('\u0000', '')
}

async function authorId(username: string): Promise<number> {
	const id = await findUserId(storable(username).toLowerCase())
	if (id === undefined) throw new NotFound('There is no such member.')
	return id
}

async function search(
	viewer: Viewer,
	input: ListInput & { search: string; categoryId?: number; limit: number },
): Promise<Page<QueryCardView>> {
	const found = await findMatches({
		search: input.search,
		categoryId: input.categoryId,
		tag: input.tag === undefined ? undefined : storable(input.tag).toLowerCase(),
		cursor: input.cursor ?? null,
		limit: input.limit + 1,
	})
	if (!found.ranked)
		return page(
			found.rows,
			input.limit,
			(row) => presentCard(viewer, row),
			(row) => [row.created_at, row.id],
		)
	const inComments = await commentMatches(
		input.search,
		found.rows.map((row) => row.id),
	)
	const present = (row: (typeof found.rows)[number]) => ({
		...presentCard(viewer, row),
		commentMatch: inComments.get(row.id),
		titleHtml: marked(row.title_marked),
		excerptHtml: markedPassage(row.description_marked),
	})
	return page(found.rows, input.limit, present, (row) => [row.rank, row.id])
}

function page<Row extends QueryRow, View>(
	rows: Row[],
	limit: number,
	present: (row: Row) => View,
	key: (row: Row) => (string | number)[],
): Page<View> {
	const shown = rows.slice(0, limit)
	const last = shown.at(-1)
	return { rows: shown.map(present), next: rows.length > limit && last ? encodeCursor(key(last)) : null }
}
