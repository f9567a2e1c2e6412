import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { NavLink } from './link.tsx'

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

/** The pages of an area as a row of tabs. A tab is open at its own address and, but for the first one, at those below it. */
export function TabRow({ label, pages }: { label: string; pages: { to: string; title: string }[] }) {
	return (
		<nav ref={useTabInView<HTMLElement>()} className="tabs tabs-scroll mt-3" aria-label={label}>
			{pages.map(({ to, title }, index) => (
				<NavLink key={to} className="tab aria-[current]:border-ink aria-[current]:text-ink" to={to} end={index === 0}>
					{title}
				</NavLink>
			))}
		</nav>
	)
}
