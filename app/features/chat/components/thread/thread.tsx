import { ArrowDown } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { useSavedCopy } from '~/offline/client.ts'
import { useNow } from '~/ui/time.tsx'
import type { ConversationView } from '../../client/conversation.ts'
import { useChatClient, useOutgoing } from '../../client/use-chat.ts'
import { MessageItem } from './message-item.tsx'
import type { MessageActions } from './message-tools.tsx'
import { OutgoingItem } from './outgoing-item.tsx'
import { type Row, rowsOf } from './rows.ts'
import { dayName, type Zone } from './times.ts'
import { useNewLine, useReading, useTarget, useVisible } from './use-reading.ts'

interface ThreadProps {
	view: ConversationView
	actions: MessageActions
	/** Of the list inside the box. */
	className: string
	/** Id of the message that the address names. */
	target: number | null
	/** The reader goes from there to the end. */
	onLeave: (() => void) | undefined
}

/** The messages of a conversation, from the oldest that was loaded to those on their way. */
export function Thread({ view, actions, className, target, onLeave }: ThreadProps) {
	const client = useChatClient()
	const outgoing = useOutgoing()
	const zone: Zone = useHydrated() ? 'local' : 'utc'
	const rows = useMemo(() => rowsOf(view, outgoing, zone), [view, outgoing, zone])
	const { username, name } = view.peer
	const saved = useSavedCopy<HTMLOListElement>('conversation', `/messages/${username}`)
	const { box, atEnd, look, toEnd } = useReading(rows, {
		onEarly: () => view.older && client?.loadOlder(username).catch(() => {}),
		onLate: () => client?.loadNewer(username).catch(() => {}),
		held: view.newer,
	})
	useNewLine(box)
	useAttention(view, atEnd && !view.newer)
	const ids = useMemo(() => view.messages.map(({ id }) => id), [view.messages])
	const [chosen, setChosen] = useState<number | null>(target)
	useTarget(box, {
		target,
		rows,
		onShown: (id) => {
			setChosen(id)
			look()
		},
	})
	const current = chosen !== null && ids.includes(chosen) ? chosen : (ids.at(-1) ?? null)

	const choose = (event: KeyboardEvent) => {
		const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
		const next = step && current !== null ? ids[ids.indexOf(current) + step] : undefined
		if (next === undefined) return
		event.preventDefault()
		setChosen(next)
		box.current?.querySelector<HTMLElement>(`[data-message="${next}"]`)?.focus()
	}

	const jump = () => {
		toEnd()
		client?.show(username, null)
		onLeave?.()
	}

	return (
		<div className="relative flex min-h-0 flex-1 flex-col">
			<div className="chat-scroll" ref={box} onScroll={look}>
				<ol className={className} ref={saved} aria-label={`Messages with ${name}`} onKeyDown={choose}>
					{rows.map((row) => {
						if (row.kind !== 'message') return <Line key={row.key} row={row} />
						return (
							<MessageItem
								key={row.key}
								message={row.message}
								own={row.own}
								last={row.last}
								mark={row.mark}
								author={row.own ? 'You' : name}
								zone={zone}
								current={row.message.id === current}
								found={row.message.id === target}
								actions={actions}
							/>
						)
					})}
					{view.typing && !view.newer && <TypingLine name={name} />}
				</ol>
			</div>
			{!atEnd && (
				<button
					type="button"
					className="btn btn-outline btn-sm absolute right-3 bottom-2 shadow-overlay"
					onClick={jump}
				>
					<ArrowDown className="icon icon-sm" aria-hidden="true" /> Jump to newest
				</button>
			)}
		</div>
	)
}

function Line({ row }: { row: Exclude<Row, { kind: 'message' }> }) {
	const client = useChatClient()
	const now = useNow()
	const zone: Zone = useHydrated() ? 'local' : 'utc'
	if (row.kind === 'outgoing') return <OutgoingItem message={row.message} last={row.last} client={client} />
	if (row.kind === 'new')
		return (
			<li className="day my-2 text-marigold-ink" data-new="">
				<span>New messages</span>
			</li>
		)
	return (
		<li className="day mt-1 mb-3">
			<span>{dayName(row.at, now, zone)}</span>
		</li>
	)
}

function TypingLine({ name }: { name: string }) {
	return (
		<li className="mt-1 flex items-center gap-2 pb-2 text-xs text-ink-3">
			<span className="typing" aria-hidden="true">
				<i />
				<i />
				<i />
			</span>
			{name.split(' ')[0]} is typing
		</li>
	)
}

/** Tells the chat whether somebody looks at the end of the conversation: what stands there is read then. */
function useAttention({ peer: { username }, latest }: ConversationView, atEnd: boolean): void {
	const client = useChatClient()
	const attended = useVisible() && atEnd
	const { viewer } = useRootData()
	const newest = latest.findLast(({ sender }) => sender !== viewer?.username)?.id
	// biome-ignore lint/correctness/useExhaustiveDependencies: each new message is read as it comes
	useEffect(() => {
		client?.attend(username, attended)
		return () => client?.attend(username, false)
	}, [client, username, attended, newest])
}
