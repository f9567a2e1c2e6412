import { MessageSquare } from 'lucide'
import { type MouseEvent, useSyncExternalStore } from 'react'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'

interface ChatButtonProps {
	peer: ChatPeer
	signedIn: boolean
	/** Its classes: the button is the first thing to do on one page, and the second on another. */
	look: string
}

/**
 * The way to a conversation: a link to its page, by way of the login for a visitor; where scripts run it opens the chat panel
 * beside the page instead. Not for oneself.
 */
export function ChatButton({ peer, signedIn, look }: ChatButtonProps) {
	const open = (event: MouseEvent) => {
		if (!signedIn || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
		event.preventDefault()
		openChat({ username: peer.username, name: peer.name, image: peer.image, online: peer.online })
	}
	return (
		<Link
			className={look}
			to={`/messages/${peer.username}`}
			rel="nofollow"
			aria-label={`Chat with ${peer.name}`}
			onClick={open}
		>
			<Icon of={MessageSquare} className="icon-sm" /> Chat
		</Link>
	)
}

/** Whom the chat panel of this tab shows: what the page knew of them when they were chosen. */
export interface ChatPeer {
	username: string
	name: string
	image: string | null
	online: boolean
}

let open: ChatPeer | null = null
const listeners = new Set<() => void>()

/** Opens the chat panel with a member; an open one closes. */
function openChat(peer: ChatPeer): void {
	change(peer)
}

/** Closes the chat panel. */
export function closeChat(): void {
	if (open) change(null)
}

/** Whom the chat panel shows, null while it is closed. */
export function useChatPeer(): ChatPeer | null {
	return useSyncExternalStore(
		subscribe,
		() => open,
		() => null,
	)
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

function change(peer: ChatPeer | null): void {
	open = peer
	for (const listener of listeners) listener()
}
