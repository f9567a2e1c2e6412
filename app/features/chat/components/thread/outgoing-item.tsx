import type { ChatClient } from '../../client/chat-client.ts'
import type { Outgoing } from '../../client/outbox.ts'
import { OutgoingPictures } from '../../pictures/components/outgoing-pictures.tsx'
import { MarkIcon } from './mark-icon.tsx'
import { clockTime } from './times.ts'

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
						<MarkIcon mark="waiting" />
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
