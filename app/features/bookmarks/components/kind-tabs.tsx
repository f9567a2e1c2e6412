import { Link } from '~/ui/link.tsx'
import type { BookmarkKind } from '../bookmarks.schema.ts'
import { type BookmarkFilter, bookmarksPath } from '../bookmarks.view.ts'

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
