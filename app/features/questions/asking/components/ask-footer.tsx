import { useRef } from 'react'
import { Link } from 'react-router'
import { useNoticesAbove } from '~/shell/notices-above.ts'
import { Spinner } from '~/ui/spinner.tsx'

interface AskFooterProps {
	inDialog: boolean
	/** When the server last took the draft; ISO 8601. */
	savedAt: string | null
	/** Whether the form was to be sent while a picture is on its way. */
	waiting: boolean
	busy: boolean
	submit: string
	cancel: string | (() => void)
	login: string | null
	/** A form that was sent and refused keeps its button, also when the session ended meanwhile. */
	refused: boolean
}

/** What was kept, and the ways out of the form. */
export function AskFooter({ inDialog, savedAt, waiting, busy, submit, cancel, login, refused }: AskFooterProps) {
	const bar = useRef<HTMLDivElement>(null)
	useNoticesAbove(bar)
	return (
		<div
			ref={bar}
			className={`flex flex-none items-center gap-2 border-t border-line py-3 ${inDialog ? 'px-5' : 'mt-5'}`}
		>
			<span className="meta max-sm:sr-only" role="status">
				{waiting
					? 'A picture is still uploading. Wait a moment, or cancel it.'
					: savedAt && `Draft saved ${clock(savedAt)}`}
			</span>
			<span className="ml-auto flex gap-2 max-sm:w-full">
				{typeof cancel === 'string' ? (
					<Link className="btn btn-ghost max-sm:flex-1" to={cancel} replace>
						Cancel
					</Link>
				) : (
					<button type="button" className="btn btn-ghost max-sm:flex-1" onClick={cancel}>
						Cancel
					</button>
				)}
				{login !== null && (
					<Link
						className={`btn ${refused ? 'btn-outline' : 'btn-primary'} max-sm:flex-1`}
						to={login}
						target={refused ? '_blank' : undefined}
					>
						Login
					</Link>
				)}
				{(login === null || refused) && (
					<button type="submit" className="btn btn-primary max-sm:flex-1" disabled={busy} aria-busy={busy || undefined}>
						{busy && <Spinner />}
						{busy ? 'Saving...' : submit}
					</button>
				)}
			</span>
		</div>
	)
}

/** “10:24 am” in the reader's zone; only drawn in the browser, after something was typed there. */
function clock(at: string): string {
	const date = new Date(at)
	const hours = date.getHours()
	return `${hours % 12 || 12}:${String(date.getMinutes()).padStart(2, '0')} ${hours < 12 ? 'am' : 'pm'}`
}
