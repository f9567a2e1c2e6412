import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import type { ConversationPage } from '../protocol.ts'
import { chatOf } from './browser-chat.ts'
import type { ChatClient, Line } from './chat-client.ts'
import { type ConversationView, viewOf } from './conversation.ts'
import type { Outgoing } from './outbox.ts'

/** The chat of this tab's member; null on the server, while the page is taken over, and for a visitor. */
export function useChatClient(): ChatClient | null {
	const { viewer } = useRootData()
	const hydrated = useHydrated()
	return hydrated && viewer ? chatOf(viewer.username) : null
}

/** A conversation, live: as its page was loaded, then as it changes. */
export function useConversation(page: ConversationPage): ConversationView {
	const client = useChatClient()
	const loaded = useMemo(() => viewOf(page), [page])
	useEffect(() => client?.open(page), [client, page])
	useEffect(() => client?.show(page.peer.username), [client, page.peer.username])
	return useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.view(page.peer.username) ?? loaded,
		() => loaded,
	)
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
export function useLine(): Line {
	const client = useChatClient()
	return useSyncExternalStore(
		client?.subscribe ?? never,
		() => client?.line ?? 'live',
		() => 'live',
	)
}

const nothing: readonly Outgoing[] = []
const never = () => () => {}
