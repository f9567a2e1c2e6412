import { Check, CheckCheck, Clock } from 'lucide-react'
import { memo } from 'react'
import { useProgress } from '~/features/chat-pictures/client/use-pictures.ts'
import { LocalPicture } from '~/features/chat-pictures/components/attached-pictures.tsx'
import { cutOf, SmallPictures, smallSizeOf } from '~/features/pictures/components/picture.tsx'
import { Prose } from '~/ui/prose.tsx'
import type { ChatClient } from '../../client/chat-client.ts'
import type { Outgoing, OutgoingPicture } from '../../client/outbox.ts'
import type { ChatMessage } from '../../protocol.ts'
import { type MessageActions, MessageTools } from './message-tools.tsx'
import type { ReceiptState } from './rows.ts'
import { clockTime, type Zone } from './times.ts'

interface MessageItemProps {
	message: ChatMessage
	own: boolean
	last: boolean
	receipt: ReceiptState
	/** Full name of who wrote it, for readers who do not see on which side it stands. */
	author: string
	zone: Zone
	/** Whether the list's one place for the keyboard is here. */
	current: boolean
	/** Whether the address names it. */
	found: boolean
	actions: MessageActions
}

/** One message, with its tools under the pointer and for the keyboard. */
export const MessageItem = memo(function MessageItem(props: MessageItemProps) {
	const { message, own, last, receipt, author, zone, current, found, actions } = props
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
						<SmallPictures pictures={message.pictures} />
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
	message: Outgoing
	last: boolean
	client: ChatClient | null
}

/** A message that the server has not acknowledged: as typed, and when it was refused why, and what can be done. */
export function OutgoingItem({ message, last, client }: OutgoingItemProps) {
	const { body, pictures, refusal, at } = message
	return (
		<li className="chat-message" data-own="">
			<span className="sr-only">You: </span>
			<div className="bubble whitespace-pre-wrap" data-own="" data-last={last || undefined}>
				<OutgoingPictures pictures={pictures} />
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

/** The pictures of a message that is on its way, in the places that they will have. */
function OutgoingPictures({ pictures }: { pictures: readonly OutgoingPicture[] }) {
	if (pictures.length === 0) return null
	return (
		<span className="my-1 flex max-w-61 flex-wrap gap-1">
			{pictures.map((picture) => (
				<OutgoingOne key={picture.id} picture={picture} />
			))}
		</span>
	)
}

function OutgoingOne({ picture }: { picture: OutgoingPicture }) {
	const progress = useProgress(picture.id)
	const box = smallSizeOf(picture)
	return (
		<span className="relative">
			<LocalPicture
				picture={picture}
				size={box}
				alt={picture.alt || 'Picture'}
				className={`rounded-sm opacity-70 ${cutOf(box)}`}
			/>
			{progress && (
				<progress
					className="absolute inset-x-1 bottom-1 h-1 w-auto accent-ivy"
					max={1}
					value={progress.sent}
					aria-label="Uploading the picture"
				/>
			)}
		</span>
	)
}

const icons = { waiting: Clock, sent: Check, delivered: CheckCheck, read: CheckCheck }
const words = { waiting: 'On its way', sent: 'Sent', delivered: 'Delivered', read: 'Read' }

/** How far an own message has come, as a sign with its word. */
function ReceiptIcon({ receipt }: { receipt: ReceiptState }) {
	const Icon = icons[receipt]
	return (
		<span title={words[receipt]}>
			<Icon className="icon icon-sm" aria-hidden="true" data-read={receipt === 'read' || undefined} />
			<span className="sr-only">{words[receipt]}</span>
		</span>
	)
}
