import { ArrowLeft } from 'lucide-react'
import { Link, useLocation, useNavigate } from 'react-router'

/** Back to the list the reader came from, at its place; to the newest queries for those who came from elsewhere. */
export function BackLink() {
	const navigate = useNavigate()
	const { key } = useLocation()
	return (
		<Link
			className="btn btn-sm btn-ghost -ml-2.5"
			to="/forum"
			onClick={(event) => {
				// The first page of a visit has this key: nothing of this site lies behind it.
				if (key === 'default' || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
				event.preventDefault()
				navigate(-1)
			}}
		>
			<ArrowLeft className="icon" aria-hidden="true" /> Back
		</Link>
	)
}
