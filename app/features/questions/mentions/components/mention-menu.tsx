import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { counted } from '~/lib/text.ts'
import { SuggestionList } from '~/ui/suggestion-list.tsx'
import type { Suggestion } from '~/ui/use-suggestions.ts'
import { applyEdit } from '../../asking/components/markdown-edits.ts'

interface MentionMenuProps {
	area: HTMLTextAreaElement
	/** The address that answers `&q=`. */
	source: string
}

/**
 * The members who may be meant by what follows an @. The text area keeps the focus: arrows choose, Enter or Tab takes, Escape
 * closes, and screen readers are told of it by the text area and a status.
 */
export default function MentionMenu({ area, source }: MentionMenuProps): ReactNode {
	const id = useId()
	const { token, list, at, move, close } = useMentions(area, source)

	const take = (value: string) => {
		if (!token) return
		const end = token.from + value.length + 2
		applyEdit(area, { from: token.from, to: area.selectionStart, insert: `@${value} `, select: [end, end] })
		close()
	}
	const press = (event: KeyboardEvent) => {
		const chosen = list[at]
		if (!chosen || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
		if (event.key === 'ArrowDown') move(1)
		else if (event.key === 'ArrowUp') move(-1)
		else if (event.key === 'Escape') close()
		else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) take(chosen.value)
		else return
		event.preventDefault()
		event.stopPropagation()
	}
	const latest = useRef(press)
	useEffect(() => {
		latest.current = press
	})
	useEffect(() => {
		const listen = (event: KeyboardEvent) => latest.current(event)
		area.addEventListener('keydown', listen)
		return () => area.removeEventListener('keydown', listen)
	}, [area])

	useEffect(() => {
		if (at < 0) return
		area.setAttribute('aria-controls', id)
		area.setAttribute('aria-activedescendant', `${id}-${at}`)
		return () => {
			area.removeAttribute('aria-controls')
			area.removeAttribute('aria-activedescendant')
		}
	}, [area, at, id])

	return (
		<div className="relative">
			<p className="sr-only" role="status">
				{at >= 0 && `${counted(list.length, 'member')} to mention. Choose with the arrow keys and Enter.`}
			</p>
			{at >= 0 && token && (
				<SuggestionList
					id={id}
					label="Members to mention"
					list={list}
					shown
					failed={false}
					at={at}
					text={token.text}
					onPick={({ value }) => take(value)}
				/>
			)}
		</div>
	)
}

/** Milliseconds without a key before the server is asked. */
const pause = 150

interface Found {
	for: string
	list: Suggestion[]
	/** The place of the one that Enter takes. */
	at: number
}

/** The mention that is being written in a text area, and the members it may mean. @param source answers `&q=` */
export function useMentions(area: HTMLTextAreaElement, source: string) {
	const [token, setToken] = useState<MentionToken | null>(null)
	const [found, setFound] = useState<Found | null>(null)
	const text = token?.text ?? null

	useEffect(() => {
		const look = () => {
			const isCaret = document.activeElement === area && area.selectionStart === area.selectionEnd
			setToken(isCaret ? tokenBefore(area.value.slice(0, area.selectionStart)) : null)
		}
		const leave = () => setToken(null)
		look()
		area.addEventListener('input', look)
		area.addEventListener('click', look)
		area.addEventListener('blur', leave)
		return () => {
			area.removeEventListener('input', look)
			area.removeEventListener('click', look)
			area.removeEventListener('blur', leave)
		}
	}, [area])

	useEffect(() => {
		if (text === null) return
		const abort = new AbortController()
		const timer = setTimeout(async () => {
			const list = await ask(`${source}&q=${encodeURIComponent(text)}`, abort.signal)
			if (list) setFound({ for: text, list, at: 0 })
		}, pause)
		return () => {
			clearTimeout(timer)
			abort.abort()
		}
	}, [source, text])

	const shown = found && found.for === text && found.list.length > 0 ? found : null
	return {
		token,
		list: shown?.list ?? [],
		/** -1 while nothing is offered. */
		at: shown?.at ?? -1,
		move: (step: 1 | -1) =>
			shown && setFound({ ...shown, at: (shown.at + step + shown.list.length) % shown.list.length }),
		/** Closes the menu until the next key. */
		close: () => setToken(null),
	}
}

async function ask(address: string, signal: AbortSignal): Promise<Suggestion[] | null> {
	try {
		const response = await fetch(address, { signal })
		if (!response.ok) return null
		const { suggestions } = (await response.json()) as { suggestions: Suggestion[] }
		return suggestions
	} catch {
		// A name can be typed to its end without any help.
		return null
	}
}

/** A name that is being written: where its @ stands, and what follows up to the caret. */
export interface MentionToken {
	from: number
	text: string
}

/** The mention at the end of what stands before the caret, or null. An @ within a word, such as of an e-mail address, begins none. */
export function tokenBefore(before: string): MentionToken | null {
	const found = /(?<![\p{L}\p{N}_@/.+-])@([a-z0-9._-]{0,64})$/iu.exec(before)
	return found ? { from: found.index, text: (found[1] ?? '').toLowerCase() } : null
}
