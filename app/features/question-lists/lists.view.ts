import type { QuestionCardView } from '~/features/questions/question.view.ts'
import type { ListView } from '~/features/questions/questions.queries.server.ts'
import type { SearchTools } from '~/features/search/search.view.ts'
import type { CategoryFrame } from '~/features/tags/components/forum-frame.tsx'
import type { TagView } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { formatNumber } from '~/lib/text.ts'
import type { Page } from '~/platform/http/cursors.ts'

/** The data of the three list pages. */
export interface ListData {
	/** In the browser it has no rows if the document contains them, see `document-rows.ts`. */
	page: Page<QuestionCardView> | DocumentPage
	pinned: QuestionCardView[]
	/** The cursor of this page; null for the first one. */
	cursor: string | null
	view: ListView
	/** The search, or ''. A search orders by relevance. */
	search: string
	/** What is shown beside a search; null without one. */
	tools: SearchTools | null
	/** Whether the list has other orders than newest first. */
	hasViews: boolean
}

/** A page of a list whose rows are in the document as HTML. */
interface DocumentPage {
	rows?: undefined
	next: string | null
}

/** The frame of every list. */
export interface ForumFrame extends CategoryFrame {
	/** The most used tags. */
	tags: TagView[]
	/** The number of questions in the forum. */
	total: number
	/** The newest unanswered questions; missing in the browser if the document contains them. */
	waiting?: UnansweredView[]
}

/** An unanswered question. */
export interface UnansweredView {
	url: string
	title: string
	createdAt: string
}

/** Title and canonical address of a list page. Searches and later pages are not indexed. */
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

/** How much of a list is shown: “1 to 20 of 1,284”; “40 shown” where the total is unknown, or the list has grown since it was counted. */
export function shownText(rows: number, total: number | null): string {
	if (total === null || total < rows) return `${formatNumber(rows)} shown`
	return `1 to ${formatNumber(rows)} of ${formatNumber(total)}`
}

/** Whether a path is a list of the forum, which share a layout and a loading state. */
export function isListPath(pathname: string): boolean {
	return /^\/forum(\/(category|tag)\/[^/]+)?\/?$/.test(pathname)
}
