import { Check, CheckCheck, Clock, Copy, Flag, Pencil, Trash2 } from 'lucide'
import { type MouseEvent, memo } from 'react'
import { OutgoingPictures } from '~/features/chat-pictures/components/attached-pictures.tsx'
import { WithheldPictures } from '~/features/chat-pictures/components/withheld-pictures.tsx'
import { SmallPictures } from '~/features/pictures/components/picture.tsx'
import type { Zone } from '~/lib/calendar.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { toast } from '~/shell/toast.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { Prose } from '~/ui/prose.tsx'
import type { ChatMessage } from '../../chat.view.ts'
import type { ChatClient } from '../../client/chat-client.ts'
import type { OutgoingMessage } from '../../client/outbox.ts'
import type { ReceiptState } from './rows.ts'
import { clockTime } from './times.ts'

/** Actions on messages of this conversation; the addresses are for readers without scripts. */
export interface MessageActions {
	/** The conversation's page. */
	path: string
	onEdit: (message: ChatMessage) => void
	onDelete: (message: ChatMessage) => void
	onReport: (message: ChatMessage) => void
}

interface MessageItemProps {
	message: ChatMessage
	own: boolean
	last: boolean
	receipt: ReceiptState
	/** Full name of the author, for screen readers. */
	author: string
	zone: Zone
	/** Whether this message is the list's tab stop. */
	current: boolean
	/** Whether the address names it. */
	found: boolean
	/** Whether its pictures are shown only on request, as a stranger sent them. */
	withheld: boolean
	actions: MessageActions
}

/** One message, with tools on hover and for the keyboard. */
export const MessageItem = memo(function MessageItem(props: MessageItemProps) {
	const { message, own, last, receipt, author, zone, current, found, withheld, actions } = props
	const Pictures = withheld ? WithheldPictures : SmallPictures
	const ours = own || undefined
	return (
		<li
			className="chat-message"
			id={`message-${message.id}`}
			data-message={message.id}
			data-own={ours}
			data-found={found || undefined}
			tabIndex={current ? 0 : -1}
		>
			<span className="sr-only">
				{found && 'The message you looked for. '}
				{author}:{' '}
			</span>
			<div className="bubble" data-own={ours} data-last={last || undefined}>
				{message.deleted ? (
					<p className="text-ink-3 italic">This message was deleted.</p>
				) : (
					<>
						<Pictures pictures={message.pictures} />
						{message.html && <Prose html={message.html} small />}
					</>
				)}
				{message.editedAt && <span className="text-2xs text-ink-3">edited</span>}
			</div>
			{last && (
				<p className="bubble-meta" data-own={ours}>
					<time dateTime={message.sentAt}>{clockTime(message.sentAt, zone)}</time>
					{own && !message.deleted && <ReceiptIcon receipt={receipt} />}
				</p>
			)}
			{!message.deleted && <MessageTools message={message} own={own} current={current} actions={actions} />}
		</li>
	)
})

interface OutgoingItemProps {
	message: OutgoingMessage
	last: boolean
	client: ChatClient | null
}

/** An outgoing message: as typed, and after an error with its reason and what to do. */
export function OutgoingItem({ message, last, client }: OutgoingItemProps) {
	const { body, pictures, refusal, at } = message
	return (
		<li className="chat-message" data-own="">
			<span className="sr-only">You: </span>
			<div className="bubble whitespace-pre-wrap [unicode-bidi:plaintext]" data-own="" data-last={last || undefined}>
				<OutgoingPictures client={client} pictures={pictures} />
				{body}
			</div>
			{refusal !== null ? (
				<div className="mt-1 mb-2.5 flex flex-wrap items-center justify-end gap-x-3 text-xs" role="alert">
					<span className="text-red">Not sent: {refusal}</span>
					<button type="button" className="link leading-6" onClick={() => client?.retry(message)}>
						Retry
					</button>
					<button type="button" className="link leading-6" onClick={() => client?.discard(message)}>
						Discard
					</button>
				</div>
			) : (
				last && (
					<p className="bubble-meta" data-own="">
						{clockTime(at, 'local')}
						<ReceiptIcon receipt="waiting" />
						{pictures.length > 0 && (
							<button type="button" className="link leading-6" onClick={() => client?.discard(message)}>
								Cancel
							</button>
						)}
					</p>
				)
			)}
		</li>
	)
}

const icons = { waiting: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck }
const words = { waiting: 'On its way', sent: 'Sent', delivered: 'Delivered', read: 'Read' }

/** The receipt of an own message, as an icon with its label. */
function ReceiptIcon({ receipt }: { receipt: ReceiptState }) {
	return (
		<span title={words[receipt]}>
			<Icon of={icons[receipt]} className="icon-sm" data-read={receipt === 'read' || undefined} />
			<span className="sr-only">{words[receipt]}</span>
		</span>
	)
}

interface MessageToolsProps {
	message: ChatMessage
	own: boolean
	/** Whether this message is chosen: with scripts, arrow keys choose a message, and Tab reaches its tools only. */
	current: boolean
	actions: MessageActions
}

const tool = 'icon-btn icon-btn-sm'

/** Tools: copy; edit and delete for own messages, report for others. */
function MessageTools({ message, own, current, actions }: MessageToolsProps) {
	const hydrated = useHydrated()
	// Without scripts the message is shown among its neighbours, however old it is.
	const address = `${actions.path}?message=${message.id}`
	const stop = { tabIndex: current || !hydrated ? 0 : -1 }
	return (
		<div className="chat-tools popup" data-own={own || undefined}>
			{hydrated && message.body !== '' && (
				<button type="button" className={tool} aria-label="Copy text" onClick={() => copy(message.body)} {...stop}>
					<Icon of={Copy} className="icon-sm" />
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
					<Icon of={Pencil} className="icon-sm" />
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
						<Icon of={Trash2} className="icon-sm" />
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
					<Icon of={Flag} className="icon-sm" />
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
