import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

/** Closes a popover whose link was followed, also when the link leads to the page that is open. */
export function closeOnLink(event: MouseEvent<HTMLElement>): void {
	if (event.target instanceof Element && event.target.closest('a')) event.currentTarget.hidePopover()
}

/** Closes every open popover when the page changes, but for one that is typed in: its search narrows the page behind it. */
export function usePopoversClosedOnNavigation(): void {
	const { pathname, search } = useLocation()
	const address = pathname + search
	const before = useRef(address)
	useEffect(() => {
		// One that was opened before the scripts were there stays.
		if (before.current === address) return
		before.current = address
		for (const open of document.querySelectorAll<HTMLElement>(':popover-open:not(:has(input:focus))'))
			open.hidePopover()
	}, [address])
}

/**
 * After a navigation in the browser, moves the focus to the new page's heading and announces its title, as a fresh page would.
 * A page that focused something itself keeps it; a link to a place within a page goes there.
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
