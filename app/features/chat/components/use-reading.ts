import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'

/** So near to the end, in pixels, counts as at the end. */
const near = 48

/** So near to the beginning the page before it is asked for. */
const early = 400

/**
 * Where the reader is in a list that grows at both ends. The list lies in a box that the browser fills from its end
 * (`flex-direction: column-reverse`), so that it begins there before any script runs; `scrollTop` is 0 at the end and
 * negative above. What is read stays where it is, whatever is added above or below.
 * @param rows changes whenever the list does
 * @param onEarly the reader is near the beginning
 */
export function useReading(rows: unknown, onEarly: () => void) {
	const box = useRef<HTMLDivElement>(null)
	const anchor = useRef<{ element: Element; top: number } | null>(null)
	const [atEnd, setAtEnd] = useState(true)
	const ask = useRef(onEarly)
	ask.current = onEarly

	const look = useCallback(() => {
		const list = box.current
		if (!list) return
		const isAtEnd = list.scrollTop > -near
		setAtEnd(isAtEnd)
		anchor.current = isAtEnd ? null : firstVisible(list)
		if (list.scrollHeight - list.clientHeight + list.scrollTop < early) ask.current()
	}, [])

	// biome-ignore lint/correctness/useExhaustiveDependencies: what is read is held in place whenever the list changes
	useLayoutEffect(() => {
		const list = box.current
		const held = anchor.current
		if (list && held?.element.isConnected) list.scrollTop += held.element.getBoundingClientRect().top - held.top
		else if (list && !held) list.scrollTop = 0
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
