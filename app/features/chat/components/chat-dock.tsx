import { Maximize2, X } from 'lucide-react'
import { type KeyboardEvent, Suspense, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { lazyPart } from '~/shell/guarded.ts'
import { useChatClient } from '../client/use-chat.ts'
import { type ChatPeer, closeChat, useChatPeer } from './chat-button.tsx'
import { ConversationHead } from './conversation-head.tsx'
import { PanelLoading } from './panel-loading.tsx'

const PanelBody = lazyPart(() => import('./panel-body.tsx'))

/**
 * The chat of a member in this tab, whatever page it shows: sends what an earlier page left behind, and shows the panel that
 * a Chat button opened. Leaving the community closes the panel.
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

/** 400 × 400 at the corner, the whole screen on a phone. The page behind stays in use; Escape closes it. */
function ChatPanel({ peer }: { peer: ChatPeer }) {
	const { username, name, image, online } = peer
	const panel = useFocusInside()
	const close = (event: KeyboardEvent) => {
		// A dialog over the panel has its own Escape.
		if (event.key === 'Escape' && !(event.target as Element).closest('dialog')) closeChat()
	}
	return (
		<div
			className="popup chat-panel fixed right-6 bottom-6 z-(--z-panel) flex size-100 flex-col overflow-clip outline-none max-sm:inset-0 max-sm:size-auto max-sm:rounded-none max-sm:border-0"
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
					<Maximize2 className="icon icon-sm" aria-hidden="true" />
				</Link>
				<button
					type="button"
					className="icon-btn icon-btn-sm max-sm:size-11"
					aria-label="Close chat"
					onClick={() => closeChat()}
				>
					<X className="icon" aria-hidden="true" />
				</button>
			</ConversationHead>
			<Suspense fallback={<PanelLoading />}>
				<PanelBody username={username} />
			</Suspense>
		</div>
	)
}

/** Takes the focus in, and gives it back to where it was, unless the reader has gone elsewhere. */
function useFocusInside() {
	const panel = useRef<HTMLDivElement>(null)
	useEffect(() => {
		const opener = document.activeElement
		panel.current?.focus()
		return () => {
			const lost = document.activeElement === null || document.activeElement === document.body
			if (lost && opener instanceof HTMLElement && opener.isConnected) opener.focus()
		}
	}, [])
	return panel
}
