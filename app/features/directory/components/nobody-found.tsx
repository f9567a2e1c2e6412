import { useRootData } from '~/lib/root-data.ts'
import { ordinal } from '~/lib/text.ts'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { type Criteria, communityPath, countFilters, NO_CRITERIA } from '../directory.paths.ts'
import { countText, type RemovableFilter } from '../directory.view.ts'

/** An empty list: the criteria, and the filter whose removal helps most. */
export function NobodyFound({
	criteria,
	cursor,
	loosen,
}: {
	criteria: Criteria
	cursor: string | null
	loosen: RemovableFilter | null
}) {
	if (cursor !== null)
		return (
			<EmptyState
				title="No data found!"
				action={
					<Link className="btn btn-outline" to={communityPath(criteria)}>
						Back to the first page
					</Link>
				}
			>
				There are no more developers in this list.
			</EmptyState>
		)
	if (!criteria.q && countFilters(criteria) === 0) return <NobodyHere />
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
						to={communityPath({ ...NO_CRITERIA, sort: criteria.sort })}
					>
						{countFilters(criteria) === 0 ? 'Clear search' : 'Clear all'}
					</Link>
				</span>
			}
		>
			Nobody matches {criteriaText(criteria)}.
			{loosen &&
				` Try fewer filters: without “${loosen.label}” there ${loosen.count.number === 1 ? 'is 1 person' : `are ${countText(loosen.count)} people`}.`}
		</EmptyState>
	)
}

/** “Python, CSE, 1st year and online now” */
export function criteriaText(criteria: Criteria): string {
	const parts = [
		...(criteria.q ? [`“${criteria.q}”`] : []),
		...criteria.skills,
		...(criteria.branches.length > 0 ? [criteria.branches.join(' or ')] : []),
		...(criteria.years.length > 0 ? [`${criteria.years.map(ordinal).join(' or ')} year`] : []),
		...(criteria.universities.length > 0 ? [criteria.universities.join(' or ')] : []),
		...criteria.openTo.map((thing) => `open to ${thing}`),
		...(criteria.online ? ['online now'] : []),
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
