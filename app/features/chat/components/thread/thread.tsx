import { ArrowDown } from 'lucide'
import {
	type KeyboardEvent,
	type RefObject,
	useCallback,
	useEffect,
	useLayoutEffect,
	useMemo,
	useRef,
	useState,
	useSyncExternalStore,
} from 'react'
import { useLocation } from 'react-router'
import type { Zone } from '~/lib/calendar.ts'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { useSavedCopy } from '~/offline/client.ts'
import { Icon } from '~/ui/icon.tsx'
import { useNow } from '~/ui/time.tsx'
import type { ConversationView } from '../../client/live-conversation.ts'
import { useChatClient, useOutgoing } from '../../client/use-chat.ts'
import { type MessageActions, MessageItem, OutgoingItem } from './message-item.tsx'
import { rowsOf, type ThreadRow } from './rows.ts'
import { dayName } from './times.ts'

interface ThreadProps {
	view: ConversationView
	actions: MessageActions
	/** Of the list inside the scroller. */
	className: string
	/** Id of the message that the address names. */
	target: number | null
	/** Called when the reader goes to the end. */
	onLeave: (() => void) | undefined
}

/** The messages of a conversation, from the oldest that was loaded to outgoing ones. */
export function Thread({ view, actions, className, target, onLeave }: ThreadProps) {
	const client = useChatClient()
	const outgoing = useOutgoing()
	const zone: Zone = useHydrated() ? 'local' : 'site'
	const rows = useMemo(() => rowsOf(view, outgoing, zone), [view, outgoing, zone])
	const { username, name } = view.peer
	const saved = useSavedCopy<HTMLOListElement>('conversation', `/messages/${username}`)
	const { scroller, atEnd, look, toEnd } = useReading(rows, {
		onEarly: () => view.older && client?.loadOlder(username).catch(() => {}),
		onLate: () => client?.loadNewer(username).catch(() => {}),
		inMiddle: view.newer,
	})
	useNewLine(scroller)
	useAttention(view, atEnd && !view.newer)
	const { current, setChosen, choose } = useChosenMessage(scroller, view, target)
	useTarget(scroller, {
		target,
		rows,
		onShown: (id) => {
			setChosen(id)
			look()
		},
	})
	const jump = () => {
		toEnd()
		client?.show(username, null)
		onLeave?.()
	}

	return (
		<div className="relative flex min-h-0 flex-1 flex-col [@media(height<24rem)]:min-h-32">
			<div className="chat-scroll" ref={scroller} onScroll={look}>
				<ol className={className} ref={saved} aria-label={`Messages with ${name}`} onKeyDown={choose}>
					{rows.map((row) => {
						if (row.kind !== 'message') return <Line key={row.key} row={row} />
						return (
							<MessageItem
								key={row.key}
								message={row.message}
								own={row.own}
								last={row.last}
								receipt={row.receipt}
								author={row.own ? 'You' : name}
								zone={zone}
								current={row.message.id === current}
								found={row.message.id === target}
								withheld={!row.own && view.state.kind === 'request'}
								actions={actions}
							/>
						)
					})}
					{view.typing && !view.newer && <TypingLine name={name} />}
				</ol>
			</div>
			{!atEnd && (
				<button type="button" className="btn btn-outline btn-sm absolute right-3 bottom-2 floating" onClick={jump}>
					<Icon of={ArrowDown} className="icon-sm" /> Jump to newest
				</button>
			)}
		</div>
	)
}

/** The message that takes the focus, the last one at first, and the keys that choose the one before or after it. */
function useChosenMessage(scroller: RefObject<HTMLElement | null>, view: ConversationView, target: number | null) {
	const ids = useMemo(() => view.messages.map(({ id }) => id), [view.messages])
	const [chosen, setChosen] = useState<number | null>(target)
	const current = chosen !== null && ids.includes(chosen) ? chosen : (ids.at(-1) ?? null)
	const choose = (event: KeyboardEvent) => {
		const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
		const next = step && current !== null ? ids[ids.indexOf(current) + step] : undefined
		if (next === undefined) return
		event.preventDefault()
		setChosen(next)
		scroller.current?.querySelector<HTMLElement>(`[data-message="${next}"]`)?.focus()
	}
	return { current, setChosen, choose }
}

function Line({ row }: { row: Exclude<ThreadRow, { kind: 'message' }> }) {
	const client = useChatClient()
	const now = useNow()
	const zone: Zone = useHydrated() ? 'local' : 'site'
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

/** Tells the chat whether the reader is at the end of the conversation, where messages count as read. */
function useAttention({ peer: { username }, latest }: ConversationView, atEnd: boolean): void {
	const client = useChatClient()
	const attended = useVisible() && atEnd
	const { viewer } = useRootData()
	const newest = latest.findLast(({ sender }) => sender !== viewer?.username)?.id
	// biome-ignore lint/correctness/useExhaustiveDependencies: each new message is read when it arrives
	useEffect(() => {
		client?.attend(username, attended)
		return () => client?.attend(username, false)
	}, [client, username, attended, newest])
}

/** Distance in pixels that still counts as the end. */
const NEAR_END_PX = 48

/** Distance in pixels from the beginning at which the page before it is requested. */
const LOAD_AHEAD_PX = 400

interface ReadingParts {
	onEarly: () => void
	onLate: () => void
	inMiddle: boolean
}

/**
 * Keeps the scroll position in a list that grows at both ends. The list is in a container that the browser fills from its end
 * (`flex-direction: column-reverse`), so it starts there before any script runs; `scrollTop` is 0 at the end and negative above.
 * What is being read stays in place, whatever is added above or below.
 * @param rows changes whenever the list does
 * @param parts `onEarly` and `onLate` are called when the reader is near the beginning or the end; `inMiddle` says that the list ends
 * before the conversation does, so that nobody is at its end
 */
function useReading(rows: unknown, { onEarly, onLate, inMiddle }: ReadingParts) {
	const scroller = useRef<HTMLDivElement>(null)
	const anchor = useRef<{ element: Element; top: number } | null>(null)
	const [atEnd, setAtEnd] = useState(true)
	const ask = useRef({ onEarly, onLate, inMiddle })
	ask.current = { onEarly, onLate, inMiddle }

	const look = useCallback(() => {
		const list = scroller.current
		if (!list) return
		const { onEarly, onLate, inMiddle } = ask.current
		const isAtEnd = list.scrollTop > -NEAR_END_PX && !inMiddle
		setAtEnd(isAtEnd)
		anchor.current = isAtEnd ? null : firstVisible(list)
		if (list.scrollHeight - list.clientHeight + list.scrollTop < LOAD_AHEAD_PX) onEarly()
		if (inMiddle && list.scrollTop > -LOAD_AHEAD_PX) onLate()
	}, [])

	// biome-ignore lint/correctness/useExhaustiveDependencies: the scroll position is kept whenever the list changes
	useLayoutEffect(() => {
		const list = scroller.current
		const held = anchor.current
		if (list && held?.element.isConnected) list.scrollTop += held.element.getBoundingClientRect().top - held.top
		// At the end, or when the element that was read is gone.
		else if (list) list.scrollTop = 0
		look()
	}, [rows, look])

	const toEnd = useCallback(() => {
		anchor.current = null
		if (scroller.current) scroller.current.scrollTop = 0
	}, [])

	return { scroller, atEnd, look, toEnd }
}

/** The first message that is at least partly visible. */
function firstVisible(list: HTMLElement): { element: Element; top: number } | null {
	const above = list.getBoundingClientRect().top
	for (const element of list.querySelectorAll('[data-message]')) {
		const { top, bottom } = element.getBoundingClientRect()
		if (bottom > above) return { element, top }
	}
	return null
}

/**
 * Scrolls to a message and focuses it, once for each visit to its address.
 * @param target id; null for none
 * @param onShown called once it is there
 */
function useTarget(
	scroller: RefObject<HTMLElement | null>,
	{ target, rows, onShown }: { target: number | null; rows: unknown; onShown: (target: number) => void },
): void {
	const { key } = useLocation()
	const shown = useRef<string | null>(null)
	// biome-ignore lint/correctness/useExhaustiveDependencies: the message may come with later rows
	useLayoutEffect(() => {
		const list = scroller.current
		const element = list?.querySelector<HTMLElement>(`[data-message="${target}"]`)
		if (target === null || !list || !element || shown.current === key) return
		shown.current = key
		const [room, own] = [list.getBoundingClientRect(), element.getBoundingClientRect()]
		list.scrollTop += own.top - room.top - Math.max(0, room.height - own.height) / 2
		element.focus({ preventScroll: true })
		onShown(target)
	}, [scroller, target, key, rows])
}

/** Scrolls the divider “New messages” to the top when the list opens and the new messages do not fit. */
function useNewLine(scroller: RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const line = scroller.current?.querySelector('[data-new]')
		const list = scroller.current
		if (!line || !list) return
		const hidden = list.getBoundingClientRect().top - line.getBoundingClientRect().top
		if (hidden > 0) list.scrollTop -= hidden
	}, [scroller])
}

/** Whether this tab is visible. */
function useVisible(): boolean {
	return useSyncExternalStore(
		subscribe,
		() => document.visibilityState === 'visible',
		() => false,
	)
}

function subscribe(tell: () => void): () => void {
	document.addEventListener('visibilitychange', tell)
	return () => document.removeEventListener('visibilitychange', tell)
}
