import { Copy, Flag, Pencil, Trash2 } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Form, Link } from 'react-router'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { toast } from '~/shell/toast.ts'
import type { ChatMessage } from '../../protocol.ts'

/** What can be done with a message of this conversation; the addresses serve readers without scripts. */
export interface MessageActions {
	/** The conversation's page. */
	path: string
	onEdit: (message: ChatMessage) => void
	onDelete: (message: ChatMessage) => void
	onReport: (message: ChatMessage) => void
}

interface MessageToolsProps {
	message: ChatMessage
	own: boolean
	/** Where scripts run, the arrow keys choose a message, and Tab reaches the tools of that one alone. */
	current: boolean
	actions: MessageActions
}

const tool = 'icon-btn icon-btn-sm'

/** Copy, and for an own message edit and delete, for another's report. */
export function MessageTools({ message, own, current, actions }: MessageToolsProps) {
	const hydrated = useHydrated()
	// Without scripts it is shown among its neighbours, however old it is.
	const address = `${actions.path}?message=${message.id}`
	const stop = { tabIndex: current || !hydrated ? 0 : -1 }
	return (
		<div className="chat-tools popup" data-own={own || undefined}>
			{hydrated && message.body !== '' && (
				<button type="button" className={tool} aria-label="Copy text" onClick={() => copy(message.body)} {...stop}>
					<Copy className="icon icon-sm" aria-hidden="true" />
				</button>
			)}
			{own && (
				<Link
					className={tool}
					to={`${address}&edit=${message.id}`}
					aria-label="Edit"
					onClick={(event) => inPlace(event, () => actions.onEdit(message))}
					{...stop}
				>
					<Pencil className="icon icon-sm" aria-hidden="true" />
				</Link>
			)}
			{own && (
				<Form
					method="post"
					action={actions.path}
					onSubmit={(event) => {
						event.preventDefault()
						actions.onDelete(message)
					}}
				>
					<input type="hidden" name="id" value={message.id} />
					<button type="submit" className={tool} name="intent" value="delete" aria-label="Delete" {...stop}>
						<Trash2 className="icon icon-sm" aria-hidden="true" />
					</button>
				</Form>
			)}
			{!own && (
				<Link
					className={tool}
					to={`${address}&report=${message.id}`}
					rel="nofollow"
					aria-label="Report"
					onClick={(event) => inPlace(event, () => actions.onReport(message))}
					{...stop}
				>
					<Flag className="icon icon-sm" aria-hidden="true" />
				</Link>
			)}
		</div>
	)
}

function inPlace(event: MouseEvent, act: () => void): void {
	if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
	event.preventDefault()
	act()
}

async function copy(text: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text)
		toast({ type: 'success', message: 'Copied.' })
	} catch {
		toast({ type: 'error', message: 'The browser did not allow copying. Select the text instead.' })
	}
}
