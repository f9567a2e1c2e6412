import type { MouseEvent } from 'react'
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

/** A link to the next page of a list; where scripts run it appends that page instead. */
export function MoreLink({ href, loading, load, children }: MoreLinkProps) {
	const append = (event: MouseEvent) => {
		if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		if (!loading) load()
	}
	return (
		<Link className="btn btn-sm btn-outline" to={href} rel="next" onClick={append} aria-busy={loading || undefined}>
			{loading && <Spinner />}
			{loading ? 'Loading...' : children}
		</Link>
	)
}
