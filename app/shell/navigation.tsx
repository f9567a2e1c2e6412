import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

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
 * sets the focus itself keeps it; a link to an anchor goes there.
 */
export function RouteFocus() {
	const { pathname, hash } = useLocation()
	const before = useRef(pathname)
	const [title, setTitle] = useState('')

	useEffect(() => {
		if (before.current === pathname) return
		before.current = pathname
		setTitle(document.title)
		const main = document.getElementById('main')
		if (hash || !main || main.contains(document.activeElement)) return
		const heading = main.querySelector('h1') ?? main
		heading.tabIndex = -1
		heading.focus({ preventScroll: true })
	}, [pathname, hash])

	return (
		<p className="sr-only" aria-live="polite" role="status">
			{title}
		</p>
	)
}
