import { memo } from 'react'
import { SmallPictures } from '~/features/pictures/components/picture.tsx'
import { Prose } from '~/ui/prose.tsx'
import type { ChatMessage } from '../../protocol.ts'
import { MarkIcon } from './mark-icon.tsx'
import { type MessageActions, MessageTools } from './message-tools.tsx'
import type { Mark } from './rows.ts'
import { clockTime, type Zone } from './times.ts'

interface MessageItemProps {
	message: ChatMessage
	own: boolean
	last: boolean
	mark: Mark
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
	const { message, own, last, mark, author, zone, current, found, actions } = props
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
					{own && !message.deleted && <MarkIcon mark={mark} />}
				</p>
			)}
			{!message.deleted && <MessageTools message={message} own={own} current={current} actions={actions} />}
		</li>
	)
})
