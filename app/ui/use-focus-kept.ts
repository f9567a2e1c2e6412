import { type RefObject, useEffect, useRef } from 'react'

/** Focuses the page's heading, without scrolling to it. */
export function focusHeading(): void {
	const main = document.getElementById('main')
	const heading = main?.querySelector('h1') ?? main
	if (!heading) return
	heading.tabIndex = -1
	heading.focus({ preventScroll: true })
}

/**
 * Focuses an element when a change has removed the one that had the focus, which browsers then take from the page.
 * @param isLost whether a change from the value before may have done so
 * @param place the element, or finds it after such a change
 */
export function useFocusFallback<Value>(
	value: Value,
	isLost: (value: Value, before: Value) => boolean,
	place: RefObject<HTMLElement | null> | ((value: Value, before: Value) => HTMLElement | null),
): void {
	const before = useRef(value)
	useEffect(() => {
		const last = before.current
		before.current = value
		if (!isLost(value, last) || document.activeElement !== document.body) return
		const element = typeof place === 'function' ? place(value, last) : place.current
		element?.focus()
	})
}

/**
 * Focuses an element when the one that had the focus within a part of the page has gone, whatever removed it. Looks whenever the calling
 * component is rendered.
 * @param whole finds the part
 * @param find finds the element
 */
export function useFocusAfterRemoval(whole: () => Element | null | undefined, find: () => HTMLElement | null): void {
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

/** Keeps the focus in its field, or on its button, when the fields of a form are remounted, as after it was sent by Enter. */
export function useFieldFocus(form: RefObject<HTMLFormElement | null>, key: string): void {
	const last = useLastFocused()
	// biome-ignore lint/correctness/useExhaustiveDependencies: a new key makes the fields anew
	useEffect(() => {
		const lost = last.current
		if (!lost || lost.isConnected || document.activeElement !== document.body) return
		const order = orderOf(lost)
		const isSame = (one: Element) => (lost.id ? one.id === lost.id : order !== '' && orderOf(one) === order)
		const found = [...(form.current?.elements ?? [])].find(isSame)
		if (found instanceof HTMLElement) found.focus({ preventScroll: true })
	}, [key])
}

/** What a button of a form sends; '' for other elements. */
function orderOf(element: Element): string {
	return element instanceof HTMLButtonElement && element.name ? `${element.name}=${element.value}` : ''
}
