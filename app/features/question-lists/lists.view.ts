import type { Page, QuestionCardView } from '~/features/questions/question.view.ts'
import type { ListView } from '~/features/questions/questions.queries.server.ts'
import type { SearchTools } from '~/features/search/search.view.ts'
import type { CategoryFrame } from '~/features/tags/components/forum-frame.tsx'
import type { TagView } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'

/** What the three list pages share. */
export interface ListData {
	/** In the browser without rows when it comes with a document that has them, see `document-rows.ts`. */
	page: Page<QuestionCardView> | DocumentPage
	/** What moderators pinned above it. */
	pinned: QuestionCardView[]
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

/** A page of a list whose rows the document has as HTML. */
interface DocumentPage {
	rows?: undefined
	next: string | null
}

/** What stands around every list of the forum. */
export interface ForumFrame extends CategoryFrame {
	/** The most used ones. */
	tags: TagView[]
	/** How many questions there are in all. */
	total: number
	/** The newest questions without an answer; missing in the browser where the document has them. */
	waiting?: WaitingView[]
}

/** A question without an answer. */
export interface WaitingView {
	url: string
	title: string
	createdAt: string
}

/** Title and addresses of a list page: one address per list and order; searches and later pages are not indexed. */
export function listMeta(title: string, pathname: string, data: ListData | undefined) {
	if (!data) return { title }
	const { search, view, cursor, page } = data
	const params = { q: search, view: view === 'newest' ? null : view }
	return {
		title: search ? `“${search}” in ${title}` : title,
		canonical: withParams(pathname, { view: params.view }),
		noindex: search !== '' || cursor !== null,
		next: page.next === null ? null : withParams(pathname, { ...params, cursor: page.next }),
	}
}

/** Whether a path is one of the forum's lists, which share a layout and a loading state. */
export function isListPath(pathname: string): boolean {
	return /^\/forum(\/(category|tag)\/[^/]+)?\/?$/.test(pathname)
}
