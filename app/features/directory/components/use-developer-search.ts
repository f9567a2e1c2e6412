import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useSearchFromAddress } from '~/ui/use-from-address.ts'
import { type Criteria, communityPath, SEARCH_DEBOUNCE_MS } from '../directory.paths.ts'
import { usePendingCriteria } from './use-filter-form.ts'

/**
 * The text of the header's search and its effects. On the community's page, the list follows what is typed; its address replaces
 * the previous one, so that Back leaves the search.
 */
export function useDeveloperSearch(criteria: Criteria) {
	const navigate = useNavigate()
	const input = useRef<HTMLInputElement>(null)
	const [text, setText] = useState(criteria.q)
	const [isUsed, setUsed] = useState(false)
	const narrowing = useRef<ReturnType<typeof setTimeout>>(undefined)
	const { q } = criteria
	const address = communityPath(criteria)
	const awaited = usePendingCriteria(criteria)
	const latest = useRef(awaited)
	latest.current = awaited

	// Keyed by the whole address: a filter that is chosen right after typing changes it without the typed text, while `q` stays.
	useSearchFromAddress(input, address, () => {
		if (!input.current) return
		input.current.value = q
		setText(q)
	})
	useEffect(() => () => clearTimeout(narrowing.current), [])
	// biome-ignore lint/correctness/useExhaustiveDependencies: only for text that was typed before the scripts ran
	useEffect(() => {
		if (!input.current || input.current.value === q) return
		setText(input.current.value)
		if (isListShown()) narrow(input.current.value.trim())
	}, [])

	/** Makes the list follow the field, unless it already does. */
	const narrow = (typed: string) => {
		clearTimeout(narrowing.current)
		if (typed === latest.current.q) return
		navigate(communityPath({ ...latest.current, q: typed }), { replace: true, preventScrollReset: true })
	}
	const narrowSoon = (isComposing: boolean) => {
		clearTimeout(narrowing.current)
		if (isComposing || !isListShown()) return
		narrowing.current = setTimeout(() => {
			if (input.current && input.current === document.activeElement) narrow(input.current.value.trim())
		}, SEARCH_DEBOUNCE_MS)
	}
	const search = (typed: string) => {
		input.current?.closest<HTMLElement>(':popover-open')?.hidePopover()
		if (isListShown()) narrow(typed)
		else navigate(communityPath({ ...criteria, q: typed }))
	}
	/** Opens a suggestion. One that narrows the list has used up the typed text. */
	const follow = (href: string, leavesSearch: boolean) => {
		clearTimeout(narrowing.current)
		if (leavesSearch && input.current) {
			input.current.value = ''
			setText('')
		}
		input.current?.blur()
		navigate(href)
	}
	const clear = () => {
		if (input.current) input.current.value = ''
		setText('')
		input.current?.focus()
		if (isListShown()) narrow('')
	}

	return {
		input,
		text,
		/** The text to suggest for. */
		wanted: (isUsed && text.trim()) || null,
		follow,
		clear,
		handlers: {
			onSubmit: (event: FormEvent) => {
				event.preventDefault()
				search(input.current?.value.trim() ?? '')
			},
			input: {
				onFocus: () => setUsed(true),
				onChange: (event: ChangeEvent<HTMLInputElement>) => {
					setText(event.target.value)
					setUsed(true)
					// Emptying the field ends the search at once, as its clear button does.
					if (event.target.value === '' && isListShown()) narrow('')
					else narrowSoon((event.nativeEvent as InputEvent).isComposing)
				},
				onCompositionEnd: () => narrowSoon(false),
			},
		},
	}
}

/** Whether the page is the community's list, which a search narrows. */
function isListShown(): boolean {
	return window.location.pathname === '/find-dev'
}
