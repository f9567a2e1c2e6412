import { type MouseEvent, useEffect } from 'react'
import { useLocation } from 'react-router'

/** Closes a popover whose link was followed, also when the link leads to the page that is open. */
export function closeOnLink(event: MouseEvent<HTMLElement>): void {
	if (event.target instanceof Element && event.target.closest('a')) event.currentTarget.hidePopover()
}

/** Closes every open popover when the page changes. */
export function usePopoversClosedOnNavigation(): void {
	const { pathname, search } = useLocation()
	// biome-ignore lint/correctness/useExhaustiveDependencies: the address is what this waits for
	useEffect(() => {
		for (const open of document.querySelectorAll<HTMLElement>(':popover-open')) open.hidePopover()
	}, [pathname, search])
}
