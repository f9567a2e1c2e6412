import { useState } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { useLiveEvent } from '~/realtime/use-live-event.ts'

/** In how many conversations something is unread: as the last whole page said, or the socket since. */
export function useUnreadConversations(): number {
	const { conversations, requestId } = useRootData()
	const [heard, setHeard] = useState({ conversations, requestId })
	const hear = (event: { conversations: number }) => setHeard({ conversations: event.conversations, requestId })
	useLiveEvent('chat:message', hear)
	useLiveEvent('chat:read', hear)
	useLiveEvent('chat:all-read', hear)
	useLiveEvent('chat:count', hear)
	return heard.requestId === requestId ? heard.conversations : conversations
}
