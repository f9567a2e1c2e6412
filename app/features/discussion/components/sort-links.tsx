import { ChevronDown } from 'lucide-react'
import type { FocusEvent, KeyboardEvent } from 'react'
import { Link } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import { type CommentSort, sortParam } from '../comment.view.ts'

const titles: Record<CommentSort, string> = { oldest: 'Oldest first', best: 'Best first' }
const sorts: CommentSort[] = ['best', 'oldest']

/** The order of a query's comments, and a menu of the others, which works without scripts; the address keeps it. */
export function SortLinks({ url, sort }: { url: string; sort: CommentSort }) {
	return (
		<nav aria-label="Order of the comments">
			{/* Drawn anew with another order, so that choosing one closes it. */}
			<details key={sort} className="relative" onBlur={closeWhenLeft} onKeyDown={closeOnEscape}>
				<summary className="quiet-link flex cursor-pointer list-none items-center gap-1.5 max-sm:min-h-11 [&::-webkit-details-marker]:hidden">
					{titles[sort]}
					<ChevronDown className="icon icon-sm" aria-hidden="true" />
				</summary>
				<ul className="popup menu absolute top-full right-0 z-(--z-popover) mt-1.5 w-40">
					{sorts.map((one) => (
						<li key={one}>
							<Link
								className={`menu-item ${one === sort ? 'font-semibold text-ink' : ''}`}
								to={`${withParams(url, { sort: sortParam(one) })}#comments`}
								aria-current={one === sort || undefined}
								rel="nofollow"
								preventScrollReset
							>
								{titles[one]}
							</Link>
						</li>
					))}
				</ul>
			</details>
		</nav>
	)
}

function closeWhenLeft({ currentTarget, relatedTarget }: FocusEvent<HTMLDetailsElement>): void {
	if (!currentTarget.contains(relatedTarget)) currentTarget.open = false
}

function closeOnEscape({ currentTarget, key }: KeyboardEvent<HTMLDetailsElement>): void {
	if (key !== 'Escape' || !currentTarget.open) return
	currentTarget.open = false
	currentTarget.querySelector('summary')?.focus()
}
