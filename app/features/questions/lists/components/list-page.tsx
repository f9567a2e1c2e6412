import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { SearchForm, SearchHelp, SearchToolsBar } from '~/features/search/components/search-form.tsx'
import { CategoryStrip } from '~/features/tags/components/category-nav.tsx'
import { withParams } from '~/lib/addresses.ts'
import { useSlowNavigation } from '~/lib/use-slow-navigation.ts'
import { MoreLink } from '~/ui/more-link.tsx'
import { useMore, withoutDoubles } from '~/ui/use-more.ts'
import { isListPath } from '../../questions.paths.ts'
import type { ListData } from '../list-page.server.ts'
import { EmptyList } from './empty-list.tsx'
import { useForumFrame } from './forum-frame.ts'
import { ListTabs } from './list-tabs.tsx'
import { NewQuery } from './new-question.tsx'
import { QueryCard } from './question-card.tsx'
import { QueryRowsSkeleton } from './question-skeleton.tsx'

interface ListPageProps {
	/** The page's title as it stands in sentences: “Recent Queries”. */
	title: string
	heading?: ReactNode
	/** What stands under the title: what the list is about, a button to follow it. */
	intro?: ReactNode
	data: ListData
	/** How many queries the list has in its plain order. */
	total: number
	/** The category that a new query should have. */
	category?: string
}

/** A list of queries with its search, its order and the way to more. */
export function ListPage({ title, heading = title, intro, data, total, category }: ListPageProps) {
	const { categories } = useForumFrame()
	const { pathname } = useLocation()
	const awaited = useSlowNavigation(isListPath)
	const { search, view, page } = data
	return (
		<div className="min-w-0">
			<div className="flex items-center justify-between gap-4">
				<h1 className="min-w-0 text-2xl font-bold wrap-anywhere">{heading}</h1>
				<NewQuery category={category} categories={categories} />
			</div>
			{intro}
			<SearchForm pathname={pathname} search={search} />
			<SearchHelp />
			<SearchToolsBar tools={data.tools} pathname={pathname} />
			<CategoryStrip categories={categories} pathname={pathname} search={search} />
			<ListTabs pathname={pathname} view={view} only={data.hasViews ? null : 'Best match'} />
			{awaited !== null && <QueryRowsSkeleton />}
			<div hidden={awaited !== null}>
				{page.rows.length > 0 ? (
					<QueryRows
						data={data}
						pathname={pathname}
						total={search || view === 'unanswered' || view === 'solved' ? null : total}
					/>
				) : (
					<EmptyList title={title} data={data} pathname={pathname} category={category} />
				)}
			</div>
		</div>
	)
}

/** The rows, and the foot that says how many there are and leads on. */
function QueryRows({ data, pathname, total }: { data: ListData; pathname: string; total: number | null }) {
	const { search, view, cursor } = data
	const params = { q: search, view: view === 'newest' ? null : view }
	const {
		rows: all,
		nextHref,
		loading,
		load,
	} = useMore(data.page, (next) => withParams(pathname, { ...params, cursor: next }))
	const rows = withoutDoubles(all, ({ id }) => id)
	return (
		<>
			<ul>
				{rows.map((query) => (
					<QueryCard key={query.id} query={query} />
				))}
			</ul>
			<nav className="flex items-center justify-between gap-4 py-4 text-sm" aria-label="Pages">
				{cursor === null ? (
					<span className="text-ink-3" aria-live="polite">
						{total === null || total < rows.length ? `${rows.length} shown` : `1 to ${rows.length} of ${total}`}
					</span>
				) : (
					<Link className="btn btn-sm btn-ghost -ml-2.5" to={withParams(pathname, params)}>
						Back to the first page
					</Link>
				)}
				{nextHref && (
					<MoreLink href={nextHref} loading={loading} load={load}>
						Load more
					</MoreLink>
				)}
			</nav>
		</>
	)
}
