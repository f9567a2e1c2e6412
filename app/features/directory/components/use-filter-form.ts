import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useFetcher, useNavigate } from 'react-router'
import type { Wish } from '../directory.paths.ts'
import { communityPath, wishOf } from '../directory.paths.ts'
import type { Count } from '../directory.present.ts'
import type { CommunityData } from './community-data.ts'

/**
 * The form of the filters: where it is a rail, each change applies at once; in the sheet of small screens changes wait for
 * its button, which says how many people they come to.
 */
export function useFilterForm(wish: Wish) {
	const form = useRef<HTMLFormElement>(null)
	const navigate = useNavigate()
	const preview = useFetcher<CommunityData>()
	const here = communityPath(wish)
	const [stagedAt, setStagedAt] = useState<string | null>(null)

	// The boxes follow the address (going back, a filter removed elsewhere) and keep the focus.
	// biome-ignore lint/correctness/useExhaustiveDependencies: the address is what this waits for
	useEffect(() => form.current?.reset(), [here])

	const wished = () => communityPath(wishOfForm(form.current))
	const apply = (event: FormEvent) => {
		event.preventDefault()
		form.current?.closest<HTMLElement>(':popover-open')?.hidePopover()
		navigate(wished(), { preventScrollReset: true })
	}
	const change = (event: FormEvent) => {
		if (window.matchMedia('(width >= 64rem)').matches) return apply(event)
		setStagedAt(here)
		preview.load(wished())
	}
	const staged: Count | null = stagedAt === here ? (preview.data?.count ?? null) : null
	return { form, change, apply, staged }
}

/** What the boxes of a form say, as a wish. */
export function wishOfForm(form: HTMLFormElement | null): Wish {
	const params = new URLSearchParams()
	for (const [name, value] of form ? new FormData(form) : []) if (typeof value === 'string') params.append(name, value)
	return wishOf(params)
}
