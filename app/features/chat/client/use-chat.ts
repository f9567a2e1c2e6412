import { useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import type { ConversationPage, MessageWindow } from '../protocol.ts'
import { chatOf } from './browser-chat.ts'
import type { ChatClient, ConnectionState } from './chat-client.ts'
import { type ConversationView, viewOf } from './live-conversation.ts'
import type { Outgoing } from './outbox.ts'

/** The chat of this tab's member; null on the server, while the page is taken over, and for a visitor. */
export function useChatClient(): ChatClient | null {
	const { viewer } = useRootData()
	const hydrated = useHydrated()
	return hydrated && viewer ? chatOf(viewer.username) : null
}

/**
 * A conversation, live: as its page was loaded, then as it changes.
 * @param part what the address names in place of the end
 */
export function useConversation(page: ConversationPage, part: MessageWindow | null = null): ConversationView {
	const client = useChatClient()
	const { key } = useLocation()
	const loaded = useMemo(() => viewOf(page, part), [page, part])
	const [visit, setVisit] = useState<string | null>(null)
	useLayoutEffect(() => client?.open(page), [client, page])
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each visit, not when the page's data is asked for again
	useLayoutEffect(() => {
		client?.show(page.peer.username, part)
		if (client) setVisit(key)
	}, [client, key, page.peer.username])
	useEffect(() => client?.watch(page.peer.username), [client, page.peer.username])
	const live = useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.view(page.peer.username) ?? loaded,
		() => loaded,
	)
	// Until the client shows the part, what it knows is the end, which would count as read.
	return part && visit !== key ? loaded : live
}

/** What is on its way, to everybody. */
export function useOutgoing(): readonly Outgoing[] {
	const client = useChatClient()
	return useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.outgoing() ?? nothing,
		() => nothing,
	)
}

/** How this tab is connected to the server. */
export function useConnectionState(): ConnectionState {
	const client = useChatClient()
	return useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.line ?? 'live',
		() => 'live',
	)
}

const nothing: readonly Outgoing[] = []
const never = () => () => {}
