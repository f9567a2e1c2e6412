import { countText } from '~/features/directory/directory.view.ts'
import { SaveSearch } from '~/features/following/components/saved-searches.tsx'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { SearchHelp } from '~/features/search/components/search-form.tsx'
import { loginPath } from '~/lib/addresses.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { type PageHandle, PREFETCH_HEADER } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { BestResults, kindTitles, NothingFound, ResultsOfKind } from '../components/results.tsx'
import { SearchField } from '../components/search-field.tsx'
import { type SearchKind, searchKinds, searchPath, searchRoute } from '../finder.paths.ts'
import { parseSearchUrl, searchEverything } from '../finder.server.ts'
import type { SearchData } from '../finder.view.ts'
import type { Route } from './+types/search'

/** The page has a search field of its own. */
const NoBox = () => <span className="ml-auto" />

export const handle: PageHandle & { HeaderSearch: typeof NoBox } = { revisit: true, HeaderSearch: NoBox }

export function loader({ url, context, request }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		const asked = parseSearchUrl(url)
		if (asked.q) await countUse('peopleSearch', viewer, factsOf(context).ip)
		return searchEverything(viewer, asked, !request.headers.has(PREFETCH_HEADER))
	})
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
	const q = loaderData?.q
	return pageMeta(matches, { title: q ? `“${q}”` : 'Search', noindex: true, canonical: searchRoute })
}

export default function SearchPage({ loaderData: data }: Route.ComponentProps) {
	return (
		<div className="max-w-[52rem] pt-6 md:pt-8">
			<h1 className="text-2xl leading-9 font-bold">Search</h1>
			<div className="mt-4">
				<SearchField q={data.q} kind={data.kind} />
			</div>
			<SearchHelp />
			<p className="sr-only" role="status">
				{data.q && foundText(data)}
			</p>
			{data.q ? (
				<>
					<Tabs data={data} />
					{data.saveable && data.cursor === null && <SaveSearch search={data.saveable} />}
					<Found data={data} />
				</>
			) : (
				<SearchStart />
			)}
		</div>
	)
}

/** What a search found, for screen readers: they announce nothing when a page only changes its content. */
function foundText(data: SearchData): string {
	const counts = searchKinds.flatMap((kind) => {
		const { count, rows } = data[kind] ?? { rows: [] }
		return rows.length === 0 ? [] : [`${kindTitles[kind]} ${count?.number ? countText(count) : rows.length}`]
	})
	return counts.length === 0 ? `Nothing found for “${data.q}”.` : `“${data.q}”: ${counts.join(', ')}`
}

/** The kinds of results with the counts of complete matches. */
function Tabs({ data }: { data: SearchData }) {
	return (
		<nav className="tabs tabs-scroll mt-4" aria-label="What is searched">
			<Link className="tab" to={searchPath(data.q)} {...current(data.kind === null)}>
				All
			</Link>
			{searchKinds.map((kind) => (
				<Link key={kind} className="tab" to={searchPath(data.q, kind)} {...current(data.kind === kind)}>
					{kindTitles[kind]}{' '}
					{data[kind] && <span className="num text-xs font-normal text-ink-3">{countText(data[kind].count)}</span>}
				</Link>
			))}
		</nav>
	)
}

const current = (is: boolean) => ({ 'aria-current': is || undefined, 'data-active': is || undefined })

function Found({ data }: { data: SearchData }) {
	const { kind, q } = data
	const { viewer } = useRootData()
	if (kind === 'projects' && !viewer)
		return (
			<EmptyState
				title="For members"
				action={
					<Link className="btn btn-outline" to={loginPath(searchPath(q, kind))}>
						Login
					</Link>
				}
			>
				Projects are part of members’ profiles, which you can open once you are logged in.
			</EmptyState>
		)
	const isEmpty =
		kind === null ? searchKinds.every((one) => !data[one]?.rows.length) : data.page.rows.length === 0 && !data.cursor
	if (isEmpty) return <NothingFound data={data} />
	return kind === null ? <BestResults data={data} /> : <ResultsOfKind key={`${kind} ${q}`} data={data} kind={kind} />
}

const examples: { q: string; kind?: SearchKind; what: string }[] = [
	{ q: 'react 3rd year', kind: 'people', what: 'people who know React and are in their third year' },
	{ q: 'tag:python is:unanswered', kind: 'questions', what: 'queries about Python that nobody answered' },
	{ q: 'list in:title -java', kind: 'questions', what: 'queries with “list” in the title that do not mention Java' },
	{ q: '"for loop" in:comments', kind: 'questions', what: 'comments with these very words' },
	{ q: 'tag:javascript', kind: 'projects', what: 'projects built with JavaScript, in whatever spelling' },
]

/** Example searches. */
function SearchStart() {
	return (
		<section className="mt-8" aria-labelledby="examples">
			<SectionHeading id="examples" title="Search for people, queries, projects and tags" />
			<ul>
				{examples.map(({ q, kind, what }) => (
					<li key={q} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-2.5">
						<Link className="link font-mono text-sm" to={searchPath(q, kind)}>
							{q}
						</Link>
						<span className="text-ink-2">{what}</span>
					</li>
				))}
			</ul>
			<p className="mt-4 max-w-[44rem] text-ink-2 noscript:hidden">
				<kbd className="kbd">Ctrl K</kbd> or <kbd className="kbd">⌘ K</kbd> opens this search on any page, with your own
				pages and conversations.
			</p>
		</section>
	)
}
