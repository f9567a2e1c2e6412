import { Search } from 'lucide'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { MAX_BOOKMARK_SEARCH } from '../bookmarks.limits.ts'
import type { BookmarkKind } from '../bookmarks.schema.ts'
import { type BookmarkFilter, bookmarksPath } from '../bookmarks.view.ts'

/** Searches titles and notes, within the kind that is shown. */
export function BookmarkSearch({ filter }: { filter: BookmarkFilter }) {
	return (
		<search className="mt-4 block">
			<Form method="get" action="/bookmarks">
				{filter.kind && <input type="hidden" name="kind" value={filter.kind} />}
				<div className="input-box">
					<Icon of={Search} />
					<input
						// Another search has another text to begin with.
						key={filter.search}
						type="search"
						name="q"
						aria-label="Search titles and notes"
						placeholder="Search titles and notes..."
						maxLength={MAX_BOOKMARK_SEARCH}
						autoComplete="off"
						defaultValue={filter.search}
					/>
				</div>
			</Form>
		</search>
	)
}

const tabs: { kind: BookmarkKind | null; title: string }[] = [
	{ kind: null, title: 'All' },
	{ kind: 'query', title: 'Queries' },
	{ kind: 'comment', title: 'Comments' },
]

/** Which kind is shown, with the same search. */
export function KindTabs({ filter }: { filter: BookmarkFilter }) {
	return (
		<nav className="tabs mt-5" aria-label="Which bookmarks">
			{tabs.map(({ kind, title }) => (
				<Link
					key={title}
					className="tab h-9"
					to={bookmarksPath({ ...filter, kind })}
					aria-current={kind === filter.kind || undefined}
					data-active={kind === filter.kind || undefined}
				>
					{title}
				</Link>
			))}
		</nav>
	)
}
