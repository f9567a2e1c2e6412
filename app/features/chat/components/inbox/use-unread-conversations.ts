import { useRootData } from '~/lib/root-data.ts'
import { useLiveCount } from '~/platform/realtime/use-live-count.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'

/** In how many conversations something is unread: as the last whole page said, or the socket since. */
export function useUnreadConversations(): number {
	const { conversations, requestId } = useRootData()
	const [count, hear] = useLiveCount(conversations, requestId)
	const take = (event: { conversations: number }) => hear(event.conversations)
	useLiveEvent('chat:message', take)
	useLiveEvent('chat:read', take)
	useLiveEvent('chat:all-read', take)
	useLiveEvent('chat:count', take)
	return count
}
