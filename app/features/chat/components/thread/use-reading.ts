import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'

/** So near to the end, in pixels, counts as at the end. */
const near = 48

/** So near to the beginning the page before it is asked for. */
const early = 400

interface ReadingParts {
	onEarly: () => void
	onLate: () => void
	held: boolean
}

/**
 * Where the reader is in a list that grows at both ends. The list lies in a box that the browser fills from its end
 * (`flex-direction: column-reverse`), so that it begins there before any script runs; `scrollTop` is 0 at the end and
 * negative above. What is read stays where it is, whatever is added above or below.
 * @param rows changes whenever the list does
 * @param parts `onEarly` and `onLate` are called when the reader is near the beginning or the end; `held` says that the list
 * does not end where the conversation does, so that nobody is at its end
 */
export function useReading(rows: unknown, { onEarly, onLate, held: inMiddle }: ReadingParts) {
	const box = useRef<HTMLDivElement>(null)
	const anchor = useRef<{ element: Element; top: number } | null>(null)
	const [atEnd, setAtEnd] = useState(true)
	const ask = useRef({ onEarly, onLate, inMiddle })
	ask.current = { onEarly, onLate, inMiddle }

	const look = useCallback(() => {
		const list = box.current
		if (!list) return
		const { onEarly, onLate, inMiddle } = ask.current
		const isAtEnd = list.scrollTop > -near && !inMiddle
		setAtEnd(isAtEnd)
		anchor.current = isAtEnd ? null : firstVisible(list)
		if (list.scrollHeight - list.clientHeight + list.scrollTop < early) onEarly()
		if (inMiddle && list.scrollTop > -early) onLate()
	}, [])

	// biome-ignore lint/correctness/useExhaustiveDependencies: what is read is held in place whenever the list changes
	useLayoutEffect(() => {
		const list = box.current
		const held = anchor.current
		if (list && held?.element.isConnected) list.scrollTop += held.element.getBoundingClientRect().top - held.top
		// At the end, or where there is nothing any more of what was read.
		else if (list) list.scrollTop = 0
		look()
	}, [rows, look])

	const toEnd = useCallback(() => {
		anchor.current = null
		if (box.current) box.current.scrollTop = 0
	}, [])

	return { box, atEnd, look, toEnd }
}

/** The first message of which something can be seen. */
function firstVisible(list: HTMLElement): { element: Element; top: number } | null {
	const above = list.getBoundingClientRect().top
	for (const element of list.querySelectorAll('[data-message]')) {
		const { top, bottom } = element.getBoundingClientRect()
		if (bottom > above) return { element, top }
	}
	return null
}

/**
 * Brings a message to the middle and the reader's focus to it, once for each visit to its address.
 * @param target id; null for none
 * @param onShown called when it is there
 */
export function useTarget(
	box: RefObject<HTMLElement | null>,
	{ target, rows, onShown }: { target: number | null; rows: unknown; onShown: (target: number) => void },
): void {
	const { key } = useLocation()
	const shown = useRef<string | null>(null)
	// biome-ignore lint/correctness/useExhaustiveDependencies: the message may come with later rows
	useLayoutEffect(() => {
		const list = box.current
		const element = list?.querySelector<HTMLElement>(`[data-message="${target}"]`)
		if (target === null || !list || !element || shown.current === key) return
		shown.current = key
		const [room, own] = [list.getBoundingClientRect(), element.getBoundingClientRect()]
		list.scrollTop += own.top - room.top - Math.max(0, room.height - own.height) / 2
		element.focus({ preventScroll: true })
		onShown(target)
	}, [box, target, key, rows])
}

/** Brings the line “New messages” to the top when the list opens and more is new than there is room for. */
export function useNewLine(box: RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const line = box.current?.querySelector('[data-new]')
		const list = box.current
		if (!line || !list) return
		const hidden = list.getBoundingClientRect().top - line.getBoundingClientRect().top
		if (hidden > 0) list.scrollTop -= hidden
	}, [box])
}

/** Whether this tab is in front of somebody. */
export function useVisible(): boolean {
	return useSyncExternalStore(
		subscribe,
		() => document.visibilityState === 'visible',
		() => false,
	)
}

function subscribe(tell: () => void): () => void {
	document.addEventListener('visibilitychange', tell)
	return () => document.removeEventListener('visibilitychange', tell)
}
