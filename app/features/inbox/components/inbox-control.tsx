import { Inbox } from 'lucide'
import { Suspense, useRef, useState } from 'react'
import { useTitleCount, useUnread } from '~/features/notifications/components/use-unread.ts'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { useLiveCount, useLiveEvent } from '~/platform/realtime/use-live-event.ts'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { closeOnLink } from '~/shell/navigation.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'

const InboxPanel = lazyWithRetry(() => import('./inbox-panel.tsx'))

const id = 'inbox'
const look = 'icon-btn relative size-11'

/** The inbox link with the unread counts. With scripts it opens a panel, which is loaded on first use. */
export function InboxControl() {
	const notifications = useUnread()
	const conversations = useUnreadConversations()
	const unread = notifications + conversations
	useTitleCount(unread)
	const hydrated = useHydrated()
	const panel = useRef<HTMLDivElement>(null)
	const [opened, setOpened] = useState(0)
	const [open, setOpen] = useState(false)
	const label = unread > 0 ? `Messages and notifications, ${unread} unread` : 'Messages and notifications'
	if (!hydrated)
		return (
			<Link className={look} to={notifications > 0 ? '/notifications' : '/messages'} aria-label={label}>
				<Face unread={unread} />
			</Link>
		)
	return (
		<>
			<button type="button" className={look} aria-label={label} aria-haspopup="dialog" popoverTarget={id}>
				<Face unread={unread} />
			</button>
			{/* biome-ignore lint/a11y: the handler only closes the panel behind its own links */}
			<div
				className="popup inbox-panel"
				id={id}
				ref={panel}
				popover="auto"
				role="dialog"
				aria-label="Messages and notifications"
				onClick={closeOnLink}
				onToggle={(event) => {
					setOpen(event.newState === 'open')
					if (event.newState === 'open') setOpened((times) => times + 1)
				}}
			>
				{opened > 0 && (
					<Suspense fallback={<p className="p-4 text-sm text-ink-3">Loading...</p>}>
						<InboxPanel key={opened} conversations={conversations} notifications={notifications} open={open} />
					</Suspense>
				)}
			</div>
		</>
	)
}

function Face({ unread }: { unread: number }) {
	return (
		<>
			<Icon of={Inbox} className="icon-lg" />
			{unread > 0 && (
				<span className="badge absolute top-0.5 right-0 [box-shadow:0_0_0_2px_var(--color-paper)]" aria-hidden="true">
					{unread > 99 ? '99+' : unread}
				</span>
			)}
		</>
	)
}

/** The number of conversations with unread messages, from the last page load or the socket. */
function useUnreadConversations(): number {
	const { conversations, requestId } = useRootData()
	const [count, hear] = useLiveCount(conversations, requestId)
	const take = (event: { conversations: number }) => hear(event.conversations)
	useLiveEvent('chat:message', take)
	useLiveEvent('chat:read', take)
	useLiveEvent('chat:all-read', take)
	useLiveEvent('chat:count', take)
	return count
}
