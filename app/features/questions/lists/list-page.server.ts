import type { LoaderFunctionArgs } from 'react-router'
import type { SearchTools } from '~/features/search/search.view.ts'
import { searchTools } from '~/features/search/search-tools.server.ts'
import { viewerOf } from '~/lib/context.ts'
import type { Page, QueryCardView } from '../question.view.ts'
import { type ListView, listQueries } from './lists.server.ts'

/** What the three list pages share. */
export interface ListData {
	page: Page<QueryCardView>
	/** Where this page of the list begins; null for its first. */
	cursor: string | null
	view: ListView
	/** What is searched for, or ''. A search is ordered by how well it matches. */
	search: string
	/** What stands beside a search; null without one. */
	tools: SearchTools | null
	/** Whether the list can be ordered otherwise than newest first. */
	hasViews: boolean
}

/**
 * The page of the list that an address asks for: `?q=` searches, `?view=` orders, `?cursor=` goes on.
 * @throws NotFound for an unknown category or tag, Invalid for a cursor that is not ours
 */
export async function loadList(
	{ context, url }: Pick<LoaderFunctionArgs, 'context' | 'url'>,
	scope: { category?: string; tag?: string; tagId?: number },
): Promise<ListData> {
	const search = url.searchParams.get('q')?.trim().slice(0, 200) ?? ''
	const hasViews = !search
	const view = hasViews ? viewOf(url.searchParams.get('view')) : 'newest'
	const cursor = url.searchParams.get('cursor') || null
	const page = await listQueries(viewerOf(context), { ...scope, search, view, cursor })
	const tools = search ? await searchTools(search, cursor === null ? page.rows.length : null) : null
	return { page, cursor, view, search, tools, hasViews }
}

function viewOf(text: string | null): ListView {
	return text === 'active' || text === 'unanswered' || text === 'solved' ? text : 'newest'
}
