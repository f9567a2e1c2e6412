import type { ReactNode } from 'react'
import { useLocation, useOutletContext } from 'react-router'
import { NewQuestion } from '~/features/asking/components/new-question.tsx'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import type { ListView } from '~/features/questions/questions.queries.server.ts'
import { SearchForm, SearchHelp, SearchToolsBar } from '~/features/search/components/search-form.tsx'
import { CategoryStrip } from '~/features/tags/components/forum-frame.tsx'
import { withParams } from '~/lib/addresses.ts'
import { useSlowNavigation } from '~/lib/use-slow-navigation.ts'
import type { Page } from '~/platform/http/cursors.ts'
import { Link } from '~/ui/link.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import type { ForumFrame, ListData } from '../lists.view.ts'
import { isListPath, shownText } from '../lists.view.ts'
import { pageWithRows } from './document-rows.ts'
import { NumberHeadings, QuestionCard } from './question-card.tsx'
import { QuestionRowsSkeleton } from './question-skeleton.tsx'

interface ListPageProps {
	/** The page's title as used in sentences: “Recent Queries”. */
	title: string
	heading?: ReactNode
	/** Below the title: a description of the list, a follow button. */
	intro?: ReactNode
	data: ListData
	/** The number of questions without filters and search. */
	total: number
	/** The default category of a new question. */
	category?: string
}

/** A list of questions with search, order and paging. */
export function ListPage({ title, heading = title, intro, data, total, category }: ListPageProps) {
	const { categories } = useForumFrame()
	const { pathname } = useLocation()
	const awaited = useSlowNavigation(isListPath)
	const { search, view } = data
	const page = pageWithRows(data.page)
	return (
		<div className="min-w-0">
			<div className="flex items-center justify-between gap-4 max-[16rem]:flex-wrap">
				<h1 className="min-w-0 text-2xl font-bold wrap-anywhere">{heading}</h1>
				<NewQuestion category={category} categories={categories} />
			</div>
			{intro}
			<SearchForm pathname={pathname} search={search} />
			<SearchHelp />
			<SearchToolsBar tools={data.tools} pathname={pathname} />
			<CategoryStrip categories={categories} pathname={pathname} search={search} />
			<ListTabs pathname={pathname} view={view} only={data.hasViews ? null : 'Best match'} />
			<p className="sr-only" role="status">
				{awaited === null && page.rows.length === 0 && `No Query Found ! ${search ?? ''}`}
			</p>
			{awaited !== null && <QuestionRowsSkeleton />}
			<div hidden={awaited !== null}>
				{page.rows.length > 0 ? (
					<QuestionRows
						data={data}
						page={page}
						pathname={pathname}
						total={search || (view !== 'newest' && view !== 'active') ? null : total}
					/>
				) : (
					<EmptyList title={title} data={data} pathname={pathname} total={total} category={category} />
				)}
			</div>
		</div>
	)
}

interface QuestionRowsProps {
	data: ListData
	/** The page of `data`, with its rows. */
	page: Page<QuestionCardView>
	pathname: string
	/** The number of questions; null if unknown. */
	total: number | null
}

/** The rows, the total, and the link to more. */
function QuestionRows({ data, page, pathname, total }: QuestionRowsProps) {
	const { search, view, cursor } = data
	const params = { q: search, view: view === 'newest' ? null : view }
	const more = useMore(page, (next) => withParams(pathname, { ...params, cursor: next }))
	const rows = withoutDuplicates([...data.pinned, ...more.rows], ({ id }) => id)
	return (
		<>
			<div>
				{rows.map((question, index) => (
					<QuestionCard key={question.id} question={question} isPinned={index < data.pinned.length} />
				))}
			</div>
			<ListPages firstHref={cursor === null ? null : withParams(pathname, params)} more={more}>
				<span className="text-ink-3" aria-live="polite">
					{shownText(rows.length, total)}
				</span>
			</ListPages>
		</>
	)
}

/** The layout's data, for its child routes. */
export function useForumFrame(): ForumFrame {
	return useOutletContext<ForumFrame>()
}

const views: { view: ListView; title: string }[] = [
	{ view: 'newest', title: 'Newest' },
	{ view: 'active', title: 'Active' },
	{ view: 'unanswered', title: 'Unanswered' },
	{ view: 'unsolved', title: 'Unsolved' },
	{ view: 'solved', title: 'Solved' },
]

interface ListTabsProps {
	pathname: string
	view: ListView
	/** The only possible order; null if there are several. */
	only: string | null
}

/** The tabs for the order of a list, and the headings of its two number columns. */
export function ListTabs({ pathname, view, only }: ListTabsProps) {
	return (
		<div className="mt-5 flex items-end justify-between border-b border-rule">
			{only === null ? (
				<nav className="tabs tabs-scroll -mb-px min-w-0 gap-4 bg-none lg:gap-5" aria-label="Order">
					{views.map((tab) => (
						<Link
							key={tab.view}
							className="tab h-9"
							to={withParams(pathname, { view: tab.view === 'newest' ? null : tab.view })}
							aria-current={tab.view === view || undefined}
							data-active={tab.view === view || undefined}
							preventScrollReset
						>
							{tab.title}
						</Link>
					))}
				</nav>
			) : (
				<p className="tabs border-0">
					<span className="tab h-9 hover:text-ink" data-active>
						{only}
					</span>
				</p>
			)}
			<NumberHeadings className="pb-2" />
		</div>
	)
}

interface EmptyListProps {
	/** The list's title: “Recent Queries”. */
	title: string
	data: ListData
	pathname: string
	/** The number of questions without filters and search. */
	total: number
	category: string | undefined
}

/** Texts for filters without results. */
const nothingFor = (title: string): Partial<Record<ListView, string>> => ({
	unanswered: `Every query in ${title} has an answer.`,
	unsolved: `No query in ${title} has comments and waits for its solution.`,
	solved: `No query in ${title} is solved yet.`,
})

/** An empty list: which filter has no results, and a button that clears it. */
export function EmptyList({ title, data: { search, view, cursor }, pathname, total, category }: EmptyListProps) {
	const ask = withParams('/forum/ask', { category, title: search })
	if (cursor)
		return (
			<Nothing
				text="There are no more queries in this list."
				undo={
					<Undo to={withParams(pathname, { q: search, view: view === 'newest' ? null : view })}>
						Back to the first page
					</Undo>
				}
			/>
		)
	if (search) {
		const inAll = pathname === '/forum'
		return (
			<Nothing
				text={`Nothing matches “${search}”${inAll ? '' : ` in ${title}`}. Try fewer words${inAll ? '' : ', look in all categories'}, or be the first to ask.`}
				undo={<Undo to={pathname}>Clear search</Undo>}
				ask={<Ask to={ask}>Ask this</Ask>}
			/>
		)
	}
	const filtered = total > 0 && nothingFor(title)[view]
	if (filtered)
		return <Nothing text={filtered} undo={<Undo to={pathname}>Show all queries</Undo>} ask={<Ask to={ask} />} />
	if (pathname === '/forum')
		return <Nothing text="Nobody has asked anything yet. Be the first." undo={<Undo to={ask}>Ask a question</Undo>} />
	return (
		<Nothing
			text={`Nobody has asked anything in ${title} yet.`}
			undo={<Undo to="/forum">All queries</Undo>}
			ask={<Ask to={ask} />}
		/>
	)
}

function Nothing({ text, undo, ask }: { text: string; undo: ReactNode; ask?: ReactNode }) {
	return (
		<div className="py-16">
			<p className="text-2xl font-bold">No Query Found !</p>
			<p className="mt-2 max-w-[44ch] text-ink-2 wrap-anywhere">{text}</p>
			<p className="mt-5 flex gap-2">
				{undo}
				{ask}
			</p>
		</div>
	)
}

function Undo({ to, children }: { to: string; children: string }) {
	return (
		<Link className="btn btn-outline" to={to}>
			{children}
		</Link>
	)
}

function Ask({ to, children = 'Ask a question' }: { to: string; children?: string }) {
	return (
		<Link className="btn btn-ghost" to={to}>
			{children}
		</Link>
	)
}
