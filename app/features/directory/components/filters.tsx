import { X } from 'lucide'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { type Criteria, communityPath, criteriaFields, NO_CRITERIA } from '../directory.paths.ts'
import { type Count, countText, type FilterChoice, type FiltersView } from '../directory.view.ts'
import { FilterGroupContent, filterGroup } from './filter-group.tsx'
import { SkillFilter } from './skill-filter.tsx'
import { useFilterForm } from './use-filter-form.ts'

export const filtersId = 'filters'
export const filtersFormId = 'filters-form'

interface FiltersProps {
	criteria: Criteria
	/** null while they are loading. */
	filters: FiltersView | null
	count: Count | null
}

/**
 * The filters of the community: a sidebar on large screens, a sheet on small ones. A form that works without scripts. With scripts,
 * each choice in the sidebar applies at once, and the sheet shows how many people match.
 */
export function Filters({ criteria, filters, count }: FiltersProps) {
	const hydrated = useHydrated()
	const { form, change, apply, staged } = useFilterForm(criteria)
	const shown = staged ?? count
	const clear = communityPath({ ...NO_CRITERIA, q: criteria.q, sort: criteria.sort })
	return (
		<aside className="filters" id={filtersId} popover="auto" aria-label="Filters">
			<div className="flex h-14 flex-none items-center justify-between border-b border-line pr-2 pl-4 lg:hidden">
				<h2 className="text-lg font-semibold">Filters</h2>
				<button
					type="button"
					className="icon-btn size-11"
					aria-label="Close filters"
					popoverTarget={filtersId}
					popoverTargetAction="hide"
				>
					<Icon of={X} className="icon-lg" />
				</button>
			</div>
			<Form
				ref={form}
				className="max-lg:flex-1 max-lg:overflow-y-auto max-lg:p-4"
				id={filtersFormId}
				method="get"
				action="/find-dev"
				aria-label="Filters"
				autoComplete="off"
				onChange={change}
				onSubmit={apply}
			>
				{criteria.q && <input type="hidden" name="q" value={criteria.q} />}
				{filters === null && <ChosenWithoutList criteria={criteria} />}
				<OnlineSwitch choice={filters?.online ?? null} on={criteria.online} />
				<SkillFilter criteria={criteria} onChange={change} />
				<Choices name="open" title="Open to" choices={filters?.openTo ?? []} />
				<Choices name="branch" title="Branch" choices={filters?.branches ?? []} />
				<Years choices={filters?.years ?? []} />
				<Choices name="university" title="University" choices={filters?.universities ?? []} />
				{!hydrated && (
					<button type="submit" className="btn btn-outline mt-6 w-full max-lg:hidden">
						Apply
					</button>
				)}
			</Form>
			<div className="flex flex-none gap-2 border-t border-line p-4 lg:hidden">
				<Link className="btn btn-ghost btn-lg flex-1" to={clear}>
					Clear all
				</Link>
				<button type="submit" className="btn btn-primary btn-lg flex-1" form={filtersFormId}>
					<span aria-live="polite">{hydrated && shown ? `Show ${countText(shown)}` : 'Show'}</span>
				</button>
			</div>
		</aside>
	)
}

/** The chosen values of lists that are still loading, without which the form would say that they were deselected. */
function ChosenWithoutList({ criteria }: { criteria: Criteria }) {
	const { branches, years, universities, openTo } = criteria
	return criteriaFields({ ...NO_CRITERIA, branches, years, universities, openTo }).map(([name, value]) => (
		<input key={`${name} ${value}`} type="hidden" name={name} value={value} />
	))
}

function OnlineSwitch({ choice, on }: { choice: FilterChoice | null; on: boolean }) {
	return (
		<label className="flex h-10 cursor-pointer items-center justify-between border-t border-rule text-sm font-semibold">
			<span className="flex items-center gap-2">
				<span className="presence" data-online aria-hidden="true" />
				Online now
			</span>
			<span className="flex items-center gap-2.5">
				{choice?.count && <span className="num text-xs font-normal text-ink-3">{countText(choice.count)}</span>}
				<span className="switch has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ivy">
					<input
						className="absolute inset-0 z-1 size-full cursor-pointer opacity-0"
						type="checkbox"
						name="online"
						value="1"
						defaultChecked={on}
						aria-label="Online now"
					/>
				</span>
			</span>
		</label>
	)
}

function Choices({ name, title, choices }: { name: string; title: string; choices: FilterChoice[] }) {
	if (choices.length === 0) return null
	return <MemoMarkup as="fieldset" className={filterGroup} of={ChoicesContent} with={{ name, title, choices }} />
}

function ChoicesContent({ name, title, choices }: { name: string; title: string; choices: FilterChoice[] }) {
	return (
		<FilterGroupContent title={title}>
			{choices.map(({ value, label, chosen, count }) => (
				<label key={value} className="check">
					<input className="check-box" type="checkbox" name={name} value={value} defaultChecked={chosen} />
					<span className="min-w-0 py-1.5 wrap-anywhere">{label}</span>
					{count && <span className="num flex-none">{countText(count)}</span>}
				</label>
			))}
		</FilterGroupContent>
	)
}

function Years({ choices }: { choices: FilterChoice[] }) {
	if (choices.length === 0) return null
	return <MemoMarkup as="fieldset" className={filterGroup} of={YearsContent} with={{ choices }} />
}

function YearsContent({ choices }: { choices: FilterChoice[] }) {
	return (
		<FilterGroupContent title="Year">
			<div className="grid grid-cols-[repeat(auto-fit,minmax(2.25rem,1fr))] gap-1.5">
				{choices.map(({ value, label, chosen, count }) => (
					<label
						key={value}
						className="btn btn-sm btn-outline relative cursor-pointer px-0 has-checked:border-ivy has-checked:bg-ivy-wash has-checked:text-ivy has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ivy"
						title={count ? `${label} year: ${countText(count)}` : undefined}
					>
						<input
							className="absolute inset-0 size-full cursor-pointer opacity-0"
							type="checkbox"
							name="year"
							value={value}
							defaultChecked={chosen}
							aria-label={`${label} year${count ? `, ${countText(count)}` : ''}`}
						/>
						{label}
					</label>
				))}
			</div>
		</FilterGroupContent>
	)
}
