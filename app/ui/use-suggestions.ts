import { type KeyboardEvent, useEffect, useState } from 'react'

/** One thing that may be meant; `note` stands beside it. */
export interface Suggestion {
	value: string
	note?: string
	/** What was typed itself, offered as it is. */
	own?: boolean
}

const pause = 150

interface Options {
	/** Answers `?q=` with `{ suggestions: Suggestion[] }`. */
	source: string
	text: string
	/** What is offered besides, at the end; and what is not offered. */
	shape?: (found: Suggestion[]) => Suggestion[]
	/** Whether the first one is chosen by Enter without being looked for. */
	eager?: boolean
	onPick: (suggestion: Suggestion) => void
}

/**
 * What a combobox knows: the suggestions for what is typed, which of them is active, and the keys that move it. The newest
 * keystroke wins; where no answer comes, `failed` says so and the field takes what is typed.
 */
export function useSuggestions({ source, text, shape, eager = false, onPick }: Options) {
	const [found, setFound] = useState<{ for: string; list: Suggestion[] | null }>({ for: '', list: [] })
	const [open, setOpen] = useState(false)
	const [active, setActive] = useState(-1)
	const typed = text.trim()

	useEffect(() => {
		if (!open || typed === '') return
		const abort = new AbortController()
		const timer = setTimeout(async () => {
			const list = await ask(source, typed, abort.signal)
			if (!abort.signal.aborted) setFound({ for: typed, list })
		}, pause)
		return () => {
			clearTimeout(timer)
			abort.abort()
		}
	}, [source, typed, open])

	const answered = (found.for === typed && found.list) || []
	const list = typed === '' ? [] : (shape?.(answered) ?? answered)
	const shown = open && list.length > 0
	const failed = open && typed !== '' && found.for === typed && found.list === null
	const at = shown ? Math.min(active < 0 && eager ? 0 : active, list.length - 1) : -1

	const close = () => {
		setOpen(false)
		setActive(-1)
	}
	const pick = (suggestion: Suggestion) => {
		close()
		onPick(suggestion)
	}
	/** @returns whether the key was for the list */
	const onKey = (event: KeyboardEvent): boolean => {
		const chosen = list[at]
		if (event.nativeEvent.isComposing) return false
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			const step = event.key === 'ArrowDown' ? 1 : -1
			setOpen(true)
			if (list.length > 0) setActive((at + step + list.length + (at < 0 && step < 0 ? 1 : 0)) % list.length)
		} else if (event.key === 'Escape' && shown) close()
		else if (event.key === 'Enter' && chosen) pick(chosen)
		else return false
		event.preventDefault()
		return true
	}
	return { list, shown, failed, at, pick, onKey, close, show: () => setOpen(true) }
}

/** @returns null without an answer */
async function ask(source: string, text: string, signal: AbortSignal): Promise<Suggestion[] | null> {
	try {
		const response = await fetch(`${source}?q=${encodeURIComponent(text)}`, { signal })
		if (!response.ok) return null
		const { suggestions } = (await response.json()) as { suggestions: Suggestion[] }
		return suggestions
	} catch {
		return null
	}
}
