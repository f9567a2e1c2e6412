import { type ChangeEvent, type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { closeDelay, searchDebounce } from '../directory.limits.ts'
import { communityPath, type Wish } from '../directory.paths.ts'
import type { SuggestionsView } from '../directory.view.ts'
import { type Entry, entriesOf } from './entries.ts'

const nothing: SuggestionsView = { people: [], skills: [], universities: [] }

/**
 * What the header's search knows: the text, what is suggested for it, which suggestion is active, and what each key and the
 * leaving of the box do. The newest keystroke wins. Where the community's list is
 * on the page, it follows what is typed; its address takes the place of the one before, so that Back leaves the search.
 */
export function useDeveloperSearch(wish: Wish) {
	const navigate = useNavigate()
	const input = useRef<HTMLInputElement>(null)
	const [text, setText] = useState(wish.q)
	const [open, setOpen] = useState(false)
	const [active, setActive] = useState(-1)
	const closing = useRef<ReturnType<typeof setTimeout>>(undefined)
	const narrowing = useRef<ReturnType<typeof setTimeout>>(undefined)
	const { q } = wish
	const latest = useRef(wish)
	latest.current = wish

	// The box follows the address (a cleared search, going back), but never under the reader's fingers.
	useEffect(() => {
		if (!input.current || document.activeElement === input.current) return
		input.current.value = q
		setText(q)
	}, [q])
	useEffect(
		() => () => {
			clearTimeout(closing.current)
			clearTimeout(narrowing.current)
		},
		[],
	)

	const { suggestions, isAnswered, isFailed } = useSuggested(text.trim(), open)
	const entries = entriesOf(suggestions, wish)
	const shown = open && text.trim() !== '' && entries.length > 0
	const isEmpty = open && isAnswered && !isFailed && entries.length === 0
	const at = shown ? Math.min(active, entries.length - 1) : -1

	const show = () => {
		clearTimeout(closing.current)
		setOpen(true)
	}
	const close = () => {
		clearTimeout(closing.current)
		setOpen(false)
		setActive(-1)
	}
	const closeSoon = () => {
		clearTimeout(closing.current)
		closing.current = setTimeout(close, closeDelay)
	}
	/** Has the list follow the box, unless it does. */
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
		}, searchDebounce)
	}
	const search = (typed: string) => {
		close()
		input.current?.closest<HTMLElement>(':popover-open')?.hidePopover()
		if (isListShown()) narrow(typed)
		else navigate(communityPath({ ...wish, q: typed }))
	}
	const pick = ({ href, leavesSearch }: Entry) => {
		close()
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
		closeSoon()
		if (isListShown()) narrow('')
	}

	const onKeyDown = (event: KeyboardEvent) => {
		if (event.nativeEvent.isComposing) return
		const chosen = entries[at]
		if (event.key === 'Escape' && shown) close()
		else if (event.key === 'Enter' && chosen) pick(chosen)
		else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && text.trim() !== '') {
			show()
			const step = event.key === 'ArrowDown' ? 1 : -1
			// One place more than there are entries: that of the text itself.
			const places = entries.length + 1
			setActive(((at + 1 + step + places) % places) - 1)
		} else return
		event.preventDefault()
	}
	return {
		input,
		text,
		shown,
		isEmpty,
		isFailed: open && isFailed,
		entries,
		suggestions,
		at,
		pick,
		clear,
		handlers: {
			onSubmit: (event: FormEvent) => {
				event.preventDefault()
				search(input.current?.value.trim() ?? '')
			},
			input: {
				onFocus: show,
				onBlur: closeSoon,
				onKeyDown,
				onChange: (event: ChangeEvent<HTMLInputElement>) => {
					setText(event.target.value)
					setActive(-1)
					show()
					// An emptied box ends the search at once, as its clear icon does.
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

interface Suggested {
	suggestions: SuggestionsView
	/** Whether they are those of this text. */
	isAnswered: boolean
	/** Whether there was no answer. */
	isFailed: boolean
}

/** The suggestions for a text, as soon as the hand rests. */
function useSuggested(text: string, wanted: boolean): Suggested {
	const [answer, setAnswer] = useState<{ text: string; view: SuggestionsView | null }>({ text: '', view: nothing })
	useEffect(() => {
		if (!wanted || text === '') return
		const abort = new AbortController()
		const timer = setTimeout(async () => {
			const view = await ask(text, abort.signal)
			if (!abort.signal.aborted) setAnswer({ text, view })
		}, searchDebounce)
		return () => {
			clearTimeout(timer)
			abort.abort()
		}
	}, [text, wanted])
	// The list before stays while the next one is on its way, as long as one goes on typing the same word.
	const fits = answer.text !== '' && (text.startsWith(answer.text) || answer.text.startsWith(text))
	const isAnswered = fits && text.startsWith(answer.text)
	return { suggestions: (fits && answer.view) || nothing, isAnswered, isFailed: isAnswered && answer.view === null }
}

/** @returns null without an answer; Enter searches all the same */
async function ask(text: string, signal: AbortSignal): Promise<SuggestionsView | null> {
	try {
		const response = await fetch(`/suggest/developers?q=${encodeURIComponent(text)}`, { signal })
		return response.ok ? ((await response.json()) as SuggestionsView) : null
	} catch {
		return null
	}
}
