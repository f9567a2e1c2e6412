import { type RefObject, useEffect, useRef } from 'react'

/**
 * Focuses an element when a change has removed the one that had the focus, which browsers then take from the page.
 * @param isLost whether a change from the value before may have done so
 */
export function useFocusKept<Value>(
	value: Value,
	isLost: (value: Value, before: Value) => boolean,
	place: RefObject<HTMLElement | null>,
): void {
	const before = useRef(value)
	useEffect(() => {
		const wasLost = isLost(value, before.current)
		before.current = value
		if (wasLost && document.activeElement === document.body) place.current?.focus()
	})
}

/**
 * Focuses an element when the one that had the focus within a part of the page has gone, whatever removed it. Looks whenever the calling
 * component is rendered.
 * @param whole finds the part
 * @param find finds the element
 */
export function useFocusOfRemoved(whole: () => Element | null | undefined, find: () => HTMLElement | null): void {
	const last = useRef<Element | null>(null)
	const part = useRef(whole)
	part.current = whole
	useEffect(() => {
		const note = ({ target }: FocusEvent) => {
			const isWithin = target instanceof Element && part.current()?.contains(target)
			last.current = isWithin ? target : null
		}
		document.addEventListener('focusin', note)
		return () => document.removeEventListener('focusin', note)
	}, [])
	useEffect(() => {
		if (last.current?.isConnected !== false || document.activeElement !== document.body) return
		last.current = null
		find()?.focus()
	})
}

/** The element that last got the focus, even once a change has removed it from the page. */
export function useLastFocused(): RefObject<Element | null> {
	const last = useRef<Element | null>(null)
	useEffect(() => {
		const note = ({ target }: FocusEvent) => {
			last.current = target as Element
		}
		document.addEventListener('focusin', note)
		return () => document.removeEventListener('focusin', note)
	}, [])
	return last
}
