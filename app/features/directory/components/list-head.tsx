import { ChevronDown, SlidersHorizontal } from 'lucide'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { formatNumber } from '~/lib/text.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Icon } from '~/ui/icon.tsx'
import { type Criteria, communityPath, countFilters, type Sort, sortOf } from '../directory.paths.ts'
import { type Count, countText } from '../directory.view.ts'
import { filtersFormId, filtersId } from './filters.tsx'
import { criteriaOfForm, isFilterSidebar, usePendingCriteria } from './use-filter-form.ts'

interface ListHeadProps {
	criteria: Criteria
	/** null while it is loading. */
	count: Count | null
	/** Whether the listed members match only a part of the search. */
	isLoose: boolean
}

/** The title of the community, the number of people in the list, the button of the filters on small screens, and the order. */
export function ListHead({ criteria, count, isLoose }: ListHeadProps) {
	const filters = countFilters(criteria)
	return (
		<div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-b border-rule pb-3">
			<h1 className="min-w-0 text-2xl font-bold">
				Developers{' '}
				<span className="ml-1.5 text-base font-normal tracking-normal wrap-anywhere text-ink-3" aria-live="polite">
					{count && (countSentence(count, criteria, isLoose) || <span className="sr-only">Nobody found</span>)}
				</span>
			</h1>
			<div className="flex gap-2 max-sm:w-full max-[16rem]:flex-col">
				<button type="button" className="btn btn-outline flex-1 lg:hidden" popoverTarget={filtersId}>
					<Icon of={SlidersHorizontal} /> Filters
					{filters > 0 && <span className="badge">{filters}</span>}
				</button>
				<SortSelect criteria={criteria} />
			</div>
		</div>
	)
}

function SortSelect({ criteria }: { criteria: Criteria }) {
	const hydrated = useHydrated()
	const navigate = useNavigate()
	const select = useRef<HTMLSelectElement>(null)
	const sort = sortOf(criteria)
	const awaited = usePendingCriteria(criteria)
	useEffect(() => {
		if (select.current) select.current.value = sort
	}, [sort])
	return (
		<>
			{/* Beside a third button a phone has no room for two equal ones. */}
			<span className={hydrated ? 'relative max-sm:flex-1' : 'relative max-sm:flex-auto'}>
				<select
					ref={select}
					className="btn btn-outline w-full cursor-pointer appearance-none pr-9 text-left"
					name="sort"
					form={filtersFormId}
					aria-label="Sort by"
					defaultValue={sort}
					onChange={(event) => {
						event.stopPropagation()
						// In the sidebar, with filters whose list is still loading.
						const wanted = isFilterSidebar() ? { ...criteriaOfForm(event.target.form), q: awaited.q } : awaited
						navigate(communityPath({ ...wanted, sort: event.target.value as Sort }), { preventScrollReset: true })
					}}
				>
					{criteria.q && <option value="match">Best match</option>}
					<option value="newest">Newest</option>
					<option value="active">Recently active</option>
				</select>
				<Icon of={ChevronDown} className="icon-sm pointer-events-none absolute inset-y-0 right-3 my-auto text-ink-3" />
			</span>
			{!hydrated && (
				<button type="submit" className="btn btn-outline" form={filtersFormId}>
					Apply
				</button>
			)}
		</>
	)
}

/** “96 know Python”, “1,284 members”, “3 match “rea””. @param isLoose whether they match only a part of the search */
export function countSentence(count: Count, criteria: Criteria, isLoose = false): string {
	const { q, skills } = criteria
	const filters = countFilters(criteria)
	const number = countText(count)
	const isOne = count.number === 1 && !count.atLeast
	if (count.number === 0) return ''
	if (!q && filters === 0) return `${formatNumber(count.number)} ${isOne ? 'member' : 'members'}`
	if (!q && filters === skills.length)
		return `${number} ${isOne ? 'knows' : 'know'} ${skills.slice(0, -1).join(', ')}${skills.length > 1 ? ' and ' : ''}${skills.at(-1)}`
	if (q && filters === 0) return `${number} ${isOne ? 'matches' : 'match'} ${isLoose ? 'some of ' : ''}“${q}”`
	return `${number} ${isOne ? 'person' : 'people'}`
}
