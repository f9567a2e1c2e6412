import { MessageSquare } from 'lucide'
import { type MouseEvent, useSyncExternalStore } from 'react'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'

interface ChatButtonProps {
	peer: ChatPeer
	signedIn: boolean
	/** Classes: the button is primary on one page and secondary on another. */
	look: string
}

/**
 * Opens the chat with a member: a link to the conversation, via the login for a visitor; with scripts it opens the panel on the present
 * page. Not shown for oneself.
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

/** The peer in this tab's chat panel, as known to the page with the button. */
export interface ChatPeer {
	username: string
	name: string
	image: string | null
	online: boolean
}

let open: ChatPeer | null = null
const listeners = new Set<() => void>()

/** Opens the chat panel with a member, instead of another one. */
function openChat(peer: ChatPeer): void {
	change(peer)
}

/** Closes the chat panel of this tab. */
export function closeChat(): void {
	if (open) change(null)
}

/** The peer in the chat panel; null while it is closed. */
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
