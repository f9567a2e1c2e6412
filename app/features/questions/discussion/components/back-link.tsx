import { ArrowLeft } from 'lucide-react'
import { Link, useNavigate } from 'react-router'

/** Back to the list the reader came from, at its place; to the newest queries for those who came from elsewhere. */
export function BackLink() {
	const navigate = useNavigate()
	return (
		<Link
			className="btn btn-sm btn-ghost -ml-2.5"
			to="/forum"
			onClick={(event) => {
				// React Router numbers the pages of a visit: before the first one lies nothing of this site.
				if (
					!((window.history.state as { idx?: number } | null)?.idx ?? 0) ||
					event.metaKey ||
					event.ctrlKey ||
					event.shiftKey ||
					event.altKey
				)
					return
				event.preventDefault()
				navigate(-1)
			}}
		>
			<ArrowLeft className="icon" aria-hidden="true" /> Back
		</Link>
	)
}
