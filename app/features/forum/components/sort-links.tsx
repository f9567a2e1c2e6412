import { Link } from 'react-router'
import { sortParam, withParams } from '../forum.paths.ts'
import type { CommentSort } from '../forum.present.ts'

const sorts: { sort: CommentSort; title: string }[] = [
	{ sort: 'oldest', title: 'Oldest first' },
	{ sort: 'best', title: 'Best first' },
]

/** The order of a query's comments; the address keeps it. */
export function SortLinks({ url, sort }: { url: string; sort: CommentSort }) {
	return (
		<nav className="flex gap-4" aria-label="Order of the comments">
			{sorts.map((one) => (
				<Link
					key={one.sort}
					className={`quiet-link ${one.sort === sort ? 'font-semibold text-ink' : ''}`}
					to={`${withParams(url, { sort: sortParam(one.sort) })}#comments`}
					aria-current={one.sort === sort || undefined}
					rel="nofollow"
					preventScrollReset
				>
					{one.title}
				</Link>
			))}
		</nav>
	)
}
