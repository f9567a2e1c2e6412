import { Maximize2, X } from 'lucide'
import { type KeyboardEvent, Suspense, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useChatClient } from '~/features/chat/client/use-chat.ts'
import { lazyWithRetry } from '~/shell/guarded.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { Skeleton } from '~/ui/list-states.tsx'
import { focusHeading } from '~/ui/use-focus-kept.ts'
import { type ChatPeer, closeChat, useChatPeer } from './chat-button.tsx'
import { ConversationHead } from './conversation-head.tsx'

declare global {
	interface Window {
		/** Missing in Safari and Firefox, and in TypeScript's own types. */
		CloseWatcher?: new () => { onclose: (() => void) | null; destroy: () => void }
	}
}

const PanelBody = lazyWithRetry(() => import('./panel-body.tsx'))

/**
 * A member's chat in this tab, on every page: sends what an earlier page left in the outbox, and renders the panel. Leaving the member
 * pages closes the panel.
 */
export default function ChatDock() {
	const peer = useChatPeer()
	const { pathname } = useLocation()
	useChatClient()
	useEffect(() => {
		if (!pathname.startsWith('/find-dev')) closeChat()
	}, [pathname])
	return peer && <ChatPanel key={peer.username} peer={peer} />
}

/** 400 × 400 pixels in the corner, full screen on a phone. Not modal; Escape closes it. */
function ChatPanel({ peer }: { peer: ChatPeer }) {
	const { username, name, image, online } = peer
	const panel = useFocusInside()
	useClosedByBack()
	const close = (event: KeyboardEvent) => {
		// A dialog above the panel handles its own Escape.
		if (event.key === 'Escape' && !(event.target as Element).closest('dialog')) closeChat()
	}
	return (
		<div
			className="popup chat-panel fixed right-6 bottom-6 z-(--z-panel) flex size-100 flex-col overflow-clip outline-none [@media(height<24rem)]:overflow-y-auto sm:max-h-[calc(100dvh-5rem)] max-sm:inset-0 max-sm:size-auto max-sm:rounded-none max-sm:border-0"
			role="dialog"
			aria-label={`Chat with ${name}`}
			ref={panel}
			tabIndex={-1}
			onKeyDown={close}
		>
			<ConversationHead peer={{ username, name, picture: image, online, lastSeenAt: null }} size="panel">
				<Link
					className="icon-btn icon-btn-sm max-sm:hidden"
					to={`/messages/${username}`}
					aria-label="Open in inbox"
					title="Open in inbox"
				>
					<Icon of={Maximize2} className="icon-sm" />
				</Link>
				<button
					type="button"
					className="icon-btn icon-btn-sm max-sm:size-11"
					aria-label="Close chat"
					onClick={() => closeChat()}
				>
					<Icon of={X} />
				</button>
			</ConversationHead>
			<Suspense fallback={<PanelLoading />}>
				<PanelBody username={username} loading={<PanelLoading />} />
			</Suspense>
		</div>
	)
}

/** Moves the focus into the panel, and back when it closes, unless the reader has moved it elsewhere. */
function useFocusInside() {
	const panel = useRef<HTMLDivElement>(null)
	useEffect(() => {
		const opener = document.activeElement
		panel.current?.focus()
		return () => {
			const lost = document.activeElement === null || document.activeElement === document.body
			if (!lost) return
			if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
			else focusHeading()
		}
	}, [])
	return panel
}

/** Where the panel fills the screen, the Back button of Android closes it instead of leaving the page behind it. */
function useClosedByBack(): void {
	useEffect(() => {
		const narrow = window.matchMedia('(width < 40rem)')
		let watcher: InstanceType<NonNullable<typeof window.CloseWatcher>> | undefined
		const watch = () => {
			watcher?.destroy()
			watcher = undefined
			// Escape would close a panel in the corner, too, wherever the focus is.
			if (!window.CloseWatcher || !narrow.matches) return
			watcher = new window.CloseWatcher()
			watcher.onclose = closeChat
		}
		watch()
		narrow.addEventListener('change', watch)
		return () => {
			narrow.removeEventListener('change', watch)
			watcher?.destroy()
		}
	}, [])
}

/** Shown until the conversation is loaded. */
function PanelLoading() {
	return (
		<div className="flex flex-1 flex-col gap-2.5 px-3 pt-4" aria-busy="true">
			<p className="text-sm text-ink-2" role="status">
				Chat is loading! Please wait...
			</p>
			<Skeleton className="h-9 w-52 rounded-md" />
			<Skeleton className="h-14 w-60 rounded-md" />
			<Skeleton className="ml-auto h-9 w-40 rounded-md" />
			<Skeleton className="h-9 w-44 rounded-md" />
			<Skeleton className="ml-auto h-14 w-56 rounded-md" />
		</div>
	)
}
