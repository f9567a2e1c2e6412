import { type MouseEvent, useEffect } from 'react'
import { useLocation } from 'react-router'

/** Closes a popover whose link was followed, also when the link leads to the page that is open. */
export function closeOnLink(event: MouseEvent<HTMLElement>): void {
	if (event.target instanceof Element && event.target.closest('a')) event.currentTarget.hidePopover()
}

/** Closes every open popover when the page changes, but for one that is typed in: its search narrows the page behind it. */
export function usePopoversClosedOnNavigation(): void {
	const { pathname, search } = useLocation()
	// biome-ignore lint/correctness/useExhaustiveDependencies: the address is what this waits for
	useEffect(() => {
		for (const open of document.querySelectorAll<HTMLElement>(':popover-open:not(:has(input:focus))'))
			open.hidePopover()
	}, [pathname, search])
}
