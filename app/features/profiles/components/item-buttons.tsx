import { useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { useNoticesAbove } from '~/shell/notices-above.ts'
import { SubmitButton } from '~/ui/submit-button.tsx'

interface ItemButtonsProps {
	/** “certificate”, “project”. */
	what: string
	editing: boolean
	/** Called before Cancel leaves on purpose. */
	onLeave: () => void
}

/** The foot of a form for one item: it adds a new one, or replaces the one that is edited. */
export function ItemButtons({ what, editing, onLeave }: ItemButtonsProps) {
	const { pathname } = useLocation()
	const bar = useRef<HTMLParagraphElement>(null)
	useNoticesAbove(bar)
	return (
		<p ref={bar} className="flex gap-2">
			<SubmitButton busyLabel="Saving..." name="choice" value="save">
				{editing ? `Update ${what}` : `Add ${what}`}
			</SubmitButton>
			{editing ? (
				<Link className="btn btn-ghost" to={pathname} onClick={onLeave} preventScrollReset>
					Cancel
				</Link>
			) : (
				<button className="btn btn-ghost" type="reset">
					Clear
				</button>
			)}
		</p>
	)
}
