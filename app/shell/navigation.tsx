import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigation } from 'react-router'
import { focusHeading, useLastFocused } from '~/ui/use-focus-kept.ts'

/** Closes a popover when one of its links is followed, even to the current page. */
export function closeOnLink(event: MouseEvent<HTMLElement>): void {
	if (event.target instanceof Element && event.target.closest('a')) event.currentTarget.hidePopover()
}

/** Closes open popovers when the page changes, except one that is being typed in: its search narrows the page behind it. */
export function usePopoversClosedOnNavigation(): void {
	const { pathname, search } = useLocation()
	const address = pathname + search
	const before = useRef(address)
	useEffect(() => {
		// A popover that was opened before hydration stays.
		if (before.current === address) return
		before.current = address
		for (const open of document.querySelectorAll<HTMLElement>(':popover-open:not(:has(input:focus))'))
			open.hidePopover()
	}, [address])
}

/**
 * After a client-side navigation, focuses the new page's heading and announces its title, as loading a document would. A page that
 * sets the focus itself keeps it, and so does a field that the reader was typing into meanwhile; a link to an anchor goes there.
 */
export function RouteFocus() {
	const { pathname, hash, key } = useLocation()
	const before = useRef(pathname)
	const [title, setTitle] = useState('')
	const typing = useTyping()

	useEffect(() => {
		if (before.current === pathname) return
		before.current = pathname
		setTitle(document.title)
		const { activeElement } = document
		const isTyping = activeElement !== null && activeElement === typing.current
		if (!hash && !isTyping && !document.getElementById('main')?.contains(activeElement)) focusHeading()
	}, [pathname, hash, typing])
	useLostFocus(key, hash)

	return (
		<p className="sr-only" aria-live="polite" role="status">
			{title}
		</p>
	)
}

/** The field that was typed into since the present navigation began. */
function useTyping(): RefObject<Element | null> {
	const { location } = useNavigation()
	const typing = useRef<Element | null>(null)
	useEffect(() => {
		if (location) typing.current = null
	}, [location])
	useEffect(() => {
		const note = ({ target }: Event) => {
			typing.current = target as Element
		}
		document.addEventListener('input', note)
		return () => document.removeEventListener('input', note)
	}, [])
	return typing
}

/**
 * Focuses what the hash names, or the page's heading, when a navigation has removed what had the focus, such as the link that clears a
 * search.
 * @param visit the key of the location
 */
function useLostFocus(visit: string, hash: string): void {
	const last = useLastFocused()
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each navigation
	useEffect(() => {
		// After the page itself, whose effects may follow, had its chance to choose a better place.
		queueMicrotask(() => {
			if (last.current?.isConnected === false && document.activeElement === document.body) focusPlace(hash)
		})
	}, [visit])
}

/** Focuses the element that a hash names, else the page's heading, without scrolling: the router has scrolled to it. */
function focusPlace(hash: string): void {
	const element = document.getElementById(hash.slice(1))
	// So that it takes the focus; a field does anyway, and stays where Tab goes.
	if (element && element.tabIndex < 0) element.tabIndex = -1
	if (element) element.focus({ preventScroll: true })
	else focusHeading()
}
