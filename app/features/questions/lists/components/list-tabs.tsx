import { Link } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import type { ListView } from '../lists.server.ts'

const views: { view: ListView; title: string }[] = [
	{ view: 'newest', title: 'Newest' },
	{ view: 'active', title: 'Active' },
	{ view: 'unanswered', title: 'Unanswered' },
	{ view: 'solved', title: 'Solved' },
]

interface ListTabsProps {
	pathname: string
	view: ListView
	/** How the list is ordered when there is no choice; null when there is. */
	only: string | null
}

/** The order of a list, and the heads of its two columns of figures. */
export function ListTabs({ pathname, view, only }: ListTabsProps) {
	return (
		<div className="mt-5 flex items-end justify-between border-b border-rule">
			{only === null ? (
				<nav className="tabs border-0" aria-label="Order">
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
			<div className="meta grid grid-cols-[3.5rem_5rem] gap-x-4 pb-2 text-right max-sm:hidden" aria-hidden="true">
				<span>Votes</span>
				<span>Comments</span>
			</div>
		</div>
	)
}
