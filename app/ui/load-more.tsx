import { Link, useLocation, useNavigation } from 'react-router'
import { Spinner } from './spinner.tsx'

interface LoadMoreProps {
	/** The opaque place where the next page of the list begins; null at its end. */
	next: string | null
	/** “Load more queries” */
	children: string
}

/** The way to a list's next page: a real link to the same address with `?cursor=`. */
export function LoadMore({ next, children }: LoadMoreProps) {
	const { pathname, search } = useLocation()
	const navigation = useNavigation()
	if (!next) return null
	const query = new URLSearchParams(search)
	query.set('cursor', next)
	const busy = navigation.location?.search.includes(encodeURIComponent(next)) ?? false
	return (
		<p className="mt-6">
			<Link className="btn btn-outline" to={`${pathname}?${query}`} rel="next" aria-busy={busy || undefined}>
				{busy && <Spinner />}
				{children}
			</Link>
		</p>
	)
}
