import { type MouseEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import { Spinner } from '~/ui/submit-button.tsx'
import { Link } from './link.tsx'

interface MoreLinkProps {
	/** The next page of the list. */
	href: string
	loading: boolean
	/** Appends the next page in place. */
	load: () => void
	children: string
}

/** A link to the next page of a list; with scripts it appends that page instead. */
export function MoreLink({ href, loading, load, children }: MoreLinkProps) {
	const link = useRef<HTMLAnchorElement>(null)
	const before = useRef<HTMLElement | undefined>(undefined)
	const append = (event: MouseEvent) => {
		if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		if (loading) return
		const all = listFocusable()
		before.current = link.current ? all[all.indexOf(link.current) - 1] : undefined
		load()
	}
	// The last page removes the link, so the focus moves to the first row of that page.
	useLayoutEffect(() => {
		const element = link.current
		return () => {
			if (!element || document.activeElement !== element) return
			queueMicrotask(() => {
				const all = listFocusable()
				const place = before.current ? all.indexOf(before.current) : -1
				if (place >= 0 && document.activeElement === document.body) all[place + 1]?.focus({ preventScroll: true })
			})
		}
	}, [])
	return (
		<Link
			ref={link}
			className="btn btn-sm btn-outline"
			to={href}
			rel="next"
			onClick={append}
			aria-busy={loading || undefined}
		>
			{loading && <Spinner />}
			{loading ? 'Loading...' : children}
		</Link>
	)
}

/** What the keyboard reaches in the page's content, in order. */
function listFocusable(): HTMLElement[] {
	const all = document.querySelectorAll<HTMLElement>('#main :is(a[href], button, input, select, textarea, summary)')
	return [...all].filter((element) => element.tabIndex >= 0 && element.checkVisibility())
}

interface ListPagesProps {
	/** The first page of the list, where this is a later one. */
	firstHref: string | null
	/** Of `useMore`. */
	more: { nextHref: string | null; loading: boolean; load: () => void }
	/** Shown instead of the link to the first page, on the first page. */
	children?: ReactNode
}

/** The end of a list: a link to its first page, and to more of it; nothing where there is neither. */
export function ListPages({ firstHref, more, children }: ListPagesProps) {
	if (firstHref === null && !more.nextHref && !children) return null
	return (
		<nav className="flex items-center justify-between gap-4 py-4 text-sm" aria-label="Pages">
			{firstHref === null ? (
				(children ?? <span />)
			) : (
				<Link className="btn btn-sm btn-ghost -ml-2.5" to={firstHref}>
					Back to the first page
				</Link>
			)}
			{more.nextHref && (
				<MoreLink href={more.nextHref} loading={more.loading} load={more.load}>
					Load more
				</MoreLink>
			)}
		</nav>
	)
}
