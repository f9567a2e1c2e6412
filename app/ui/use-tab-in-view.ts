import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/**
 * Scrolls a row of tabs to the open one, which a narrow screen may hide beyond its edge.
 * @returns the ref of the element that scrolls
 */
export function useTabInView<Row extends HTMLElement>(): RefObject<Row | null> {
	const row = useRef<Row>(null)
	const { pathname, search } = useLocation()

	// biome-ignore lint/correctness/useExhaustiveDependencies: another address is another open tab
	useEffect(() => {
		const tab = row.current?.querySelector('.tab[aria-current]')
		if (!row.current || !tab) return
		// `scrollIntoView` would move the page as well, from where the browser has restored it.
		const [visible, wanted] = [row.current.getBoundingClientRect(), tab.getBoundingClientRect()]
		if (wanted.left >= visible.left && wanted.right <= visible.right) return
		row.current.scrollLeft += wanted.left - visible.left - (visible.width - wanted.width) / 2
	}, [pathname, search])

	return row
}
