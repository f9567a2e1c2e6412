import { useSyncExternalStore } from 'react'

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
export function openChat(peer: ChatPeer): void {
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
