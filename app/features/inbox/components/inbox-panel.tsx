import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import { useConnectionState } from '~/features/chat/client/use-chat.ts'
import { LatestNotifications } from '~/features/notifications/components/notification-list.tsx'
import { fetchJsonWithRetries } from '~/lib/retry.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'
import { Link } from '~/ui/link.tsx'
import { LoadFailed } from '~/ui/load-failed.tsx'
import { useFocusAfterRemoval } from '~/ui/use-focus-kept.ts'
import type { ConversationSummary } from '../inbox.view.ts'
import { ConversationItem } from './conversation-item.tsx'
import { useLiveList } from './live-list.ts'

interface InboxPanelProps {
	/** Conversations with unread messages. */
	conversations: number
	/** Unread notifications. */
	notifications: number
	open: boolean
}

const tabs = ['Messages', 'Notifications'] as const

/** Unread conversations and notifications on two tabs. Opens on the tab that has news. */
export default function InboxPanel({ conversations, notifications, open }: InboxPanelProps) {
	const [shown, setShown] = useState<(typeof tabs)[number]>(
		conversations === 0 && notifications > 0 ? 'Notifications' : 'Messages',
	)
	const list = useRef<HTMLDivElement>(null)
	const counts = { Messages: conversations, Notifications: notifications }

	const turn = (event: KeyboardEvent) => {
		if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
		const other = shown === 'Messages' ? 'Notifications' : 'Messages'
		setShown(other)
		list.current?.querySelector<HTMLElement>(`#tab-${other}`)?.focus()
	}

	return (
		<>
			<div className="tabs px-4" role="tablist" aria-label="What is new" ref={list}>
				{tabs.map((name) => (
					<button
						key={name}
						type="button"
						className="tab"
						role="tab"
						id={`tab-${name}`}
						aria-selected={shown === name}
						aria-controls={`panel-${name}`}
						tabIndex={shown === name ? 0 : -1}
						data-active={shown === name ? '' : undefined}
						onClick={() => setShown(name)}
						onKeyDown={turn}
					>
						{name} {counts[name] > 0 && <span className="badge">{counts[name]}</span>}
					</button>
				))}
			</div>
			{tabs.map((name) => (
				<div key={name} role="tabpanel" id={`panel-${name}`} aria-labelledby={`tab-${name}`} hidden={shown !== name}>
					{name === 'Messages' ? (
						<LatestMessages unread={conversations} open={open && shown === name} />
					) : (
						<LatestNotifications unread={notifications} open={open && shown === name} />
					)}
				</div>
			))}
		</>
	)
}

/** The ten latest conversations, loaded whenever they are shown, and updated live. */
function LatestMessages({ unread, open }: { unread: number; open: boolean }) {
	const marking = useFetcher()
	const [loaded, setLoaded] = useState<ConversationSummary[] | null>(null)
	const [failed, setFailed] = useState(false)
	const [busy, setBusy] = useState(false)
	const scroller = useRef<HTMLDivElement>(null)
	const heard = useRef(0)
	const heardAtLoad = useRef(0)
	const load = useCallback(async (): Promise<void> => {
		const before = heard.current
		setBusy(true)
		const latest = await fetchJsonWithRetries<{ conversations: ConversationSummary[] }>('/messages/latest')
		setBusy(false)
		setFailed(!latest)
		if (!latest) return
		heardAtLoad.current = before
		setLoaded(latest.conversations)
	}, [])
	// Events that arrive while the list is loading may not be in it, so they are applied to the previous list.
	useEffect(() => {
		if (loaded && heard.current !== heardAtLoad.current) void load()
	}, [loaded, load])
	const note = () => {
		heard.current += 1
	}
	useLiveEvent('chat:message', note)
	useLiveEvent('chat:read', note)
	useLiveEvent('chat:all-read', note)
	useEffect(() => {
		if (open) void load()
	}, [open, load])
	const { list, online, typing } = useLiveList(loaded, load)
	const away = useConnectionState() === 'away'
	const nothingToDo = away || (unread === 0 && list.every((conversation) => conversation.unread === 0))
	useFocusAfterRemoval(
		() => scroller.current,
		() => scroller.current?.querySelector('a') ?? null,
	)
	return (
		<>
			<div ref={scroller} className="max-h-[min(26rem,60dvh)] overflow-y-auto">
				{!loaded &&
					(failed ? <LoadFailed busy={busy} onRetry={load} /> : <p className="p-4 text-sm text-ink-3">Loading...</p>)}
				{loaded && list.length === 0 && <p className="p-4 text-sm text-ink-2">No chat found!</p>}
				{list.length > 0 && (
					<ul className="p-1" aria-label="Messages">
						{list.map((conversation) => (
							<li key={conversation.peer.username}>
								<ConversationItem
									conversation={conversation}
									online={online(conversation.peer.username)}
									typing={typing.has(conversation.peer.username)}
									className="menu-item gap-3 py-2"
								/>
							</li>
						))}
					</ul>
				)}
			</div>
			<div className="flex items-center justify-between border-t border-line px-4 py-2.5 text-sm">
				{/* Not `disabled`, which would lose the focus of a keyboard user who has just pressed it. */}
				<marking.Form method="post" action="/messages/read" onSubmit={(event) => nothingToDo && event.preventDefault()}>
					<button className="quiet-link text-ink-2" type="submit" aria-disabled={nothingToDo}>
						Mark all as read
					</button>
				</marking.Form>
				<Link className="quiet-link font-semibold" to="/messages">
					Open inbox
				</Link>
			</div>
		</>
	)
}
