import { useRootData } from '~/lib/root-data.ts'
import { ordinal } from '~/lib/text.ts'
import { EmptyState } from '~/ui/empty-state.tsx'
import { Link } from '~/ui/link.tsx'
import { anybody, communityPath, countFilters, type Wish } from '../directory.paths.ts'
import { countText, type Loosening } from '../directory.view.ts'

/** What stands in a list that has nobody: what was asked for, and the one thing to give up. */
export function NobodyFound({ wish, cursor, loosen }: { wish: Wish; cursor: string | null; loosen: Loosening | null }) {
	if (cursor !== null)
		return (
			<EmptyState
				title="No data found!"
				action={
					<Link className="btn btn-outline" to={communityPath(wish)}>
						Back to the first page
					</Link>
				}
			>
				There are no more developers in this list.
			</EmptyState>
		)
	if (!wish.q && countFilters(wish) === 0) return <NobodyHere />
	return (
		<EmptyState
			title="No data found!"
			action={
				<span className="flex flex-wrap gap-2">
					{loosen && (
						<Link className="btn btn-outline" to={loosen.href}>
							Remove “{loosen.label}”
						</Link>
					)}
					<Link
						className={`btn ${loosen ? 'btn-ghost' : 'btn-outline'}`}
						to={communityPath({ ...anybody, sort: wish.sort })}
					>
						{countFilters(wish) === 0 ? 'Clear search' : 'Clear all'}
					</Link>
				</span>
			}
		>
			Nobody matches {wishText(wish)}.
			{loosen &&
				` Try fewer filters: without “${loosen.label}” there ${loosen.count.number === 1 ? 'is 1 person' : `are ${countText(loosen.count)} people`}.`}
		</EmptyState>
	)
}

/** “Python, CSE, 1st year and online now” */
export function wishText(wish: Wish): string {
	const parts = [
		...(wish.q ? [`“${wish.q}”`] : []),
		...wish.skills,
		...(wish.branches.length > 0 ? [wish.branches.join(' or ')] : []),
		...(wish.years.length > 0 ? [`${wish.years.map(ordinal).join(' or ')} year`] : []),
		...(wish.universities.length > 0 ? [wish.universities.join(' or ')] : []),
		...wish.openTo.map((thing) => `open to ${thing}`),
		...(wish.online ? ['online now'] : []),
	]
	return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function NobodyHere() {
	const { viewer } = useRootData()
	return (
		<EmptyState
			title="No data found!"
			action={
				viewer ? null : (
					<Link className="btn btn-outline" to="/register">
						Register
					</Link>
				)
			}
		>
			Nobody has registered here yet.
		</EmptyState>
	)
}
