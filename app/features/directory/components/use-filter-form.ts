import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useFetcher, useNavigate, useNavigation } from 'react-router'
import type { Criteria } from '../directory.paths.ts'
import { communityPath, criteriaOf } from '../directory.paths.ts'
import type { CommunityData, Count } from '../directory.view.ts'

/**
 * The form of the filters. In the sidebar, each change applies at once; in the sheet of small screens, changes wait for its button,
 * which shows how many people match.
 */
export function useFilterForm(criteria: Criteria) {
	const form = useRef<HTMLFormElement>(null)
	const navigate = useNavigate()
	const preview = useFetcher<CommunityData>()
	const here = communityPath(criteria)
	const { q } = usePendingCriteria(criteria)
	const [stagedAt, setStagedAt] = useState<string | null>(null)

	// The controls follow the address (going back, a filter removed elsewhere) and keep the focus. A checkbox that was ticked before
	// this script ran fired no event, so the address follows it instead.
	const drawn = useRef<string | null>(null)
	useEffect(() => {
		const isFirst = drawn.current === null
		drawn.current = here
		if (!isFirst) return form.current?.reset()
		if (isFilterSidebar() && isChanged(form.current))
			navigate(communityPath(criteriaOfForm(form.current)), { preventScrollReset: true })
	}, [here, navigate])

	const currentPath = () => communityPath({ ...criteriaOfForm(form.current), q })
	const go = () => navigate(currentPath(), { preventScrollReset: true })
	const apply = (event: FormEvent) => {
		event.preventDefault()
		form.current?.closest<HTMLElement>(':popover-open')?.hidePopover()
		go()
	}
	const change = () => {
		if (isFilterSidebar()) return go()
		setStagedAt(here)
		preview.load(currentPath())
	}
	const staged: Count | null = stagedAt === here ? (preview.data?.count ?? null) : null
	return { form, change, apply, staged }
}

/**
 * The criteria of the list that is being loaded, or else the present ones: what the reader chooses next is added to what they chose just
 * before, however slow their connection.
 */
export function usePendingCriteria(present: Criteria): Criteria {
	const { location } = useNavigation()
	return location?.pathname === '/find-dev' ? criteriaOf(new URLSearchParams(location.search)) : present
}

/** Whether the filters are a sidebar and not a sheet; as `.filters` in shell.css. */
export function isFilterSidebar(): boolean {
	return window.matchMedia('(width >= 64rem)').matches
}

/**
 * Whether a control of a form was changed. Comparing criteria with the address would not do: it may have the same ones in another order,
 * as in a saved search from before another branch became the most common.
 */
function isChanged(form: HTMLFormElement | null): boolean {
	return [...(form?.elements ?? [])].some((control) => {
		if (control instanceof HTMLSelectElement)
			return [...control.options].some(({ selected, defaultSelected }) => selected !== defaultSelected)
		if (!(control instanceof HTMLInputElement)) return false
		return control.checked !== control.defaultChecked || control.value !== control.defaultValue
	})
}

/** Reads criteria from the controls of a form. */
export function criteriaOfForm(form: HTMLFormElement | null): Criteria {
	const params = new URLSearchParams()
	for (const [name, value] of form ? new FormData(form) : []) if (typeof value === 'string') params.append(name, value)
	return criteriaOf(params)
}
