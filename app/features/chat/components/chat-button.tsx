import { MessageSquare } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Link } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { type ChatPeer, openChat } from '../client/open-chat.ts'

interface ChatButtonProps {
	peer: ChatPeer
	/** Its classes: the button is the first thing to do on one page, and the second on another. */
	look: string
}

/**
 * The way to a conversation: a link to its page, by way of the login for a visitor; where scripts run it opens the chat panel
 * beside the page instead. Nothing for oneself.
 */
export function ChatButton({ peer, look }: ChatButtonProps) {
	const { viewer } = useRootData()
	if (viewer?.username === peer.username) return null
	const open = (event: MouseEvent) => {
		if (!viewer || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
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
			<MessageSquare className="icon icon-sm" aria-hidden="true" /> Chat
		</Link>
	)
}
