import { useEffect, useLayoutEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'react-router'
import { BrowserPictures } from '~/features/chat-pictures/client/picture-store.ts'
import { measurePicture, uploadForMessage } from '~/features/chat-pictures/client/uploads.ts'
import { storageOf } from '~/features/conversations/client/chat-drafts.ts'
import { uploadRefusal } from '~/features/pictures/components/upload.ts'
import { newKey } from '~/lib/new-key.ts'
import { useRootData } from '~/lib/root-data.ts'
import { noSubscription, useHydrated } from '~/lib/use-hydrated.ts'
import { type LiveSocket, withLive } from '~/platform/realtime/live.ts'
import type { ConversationPage, MessageWindow } from '../chat.view.ts'
import { ChatClient, type ConnectionState, listenToSocket } from './chat-client.ts'
import { clearSocketsBlocked, makeFallback, wereSocketsBlocked } from './http-fallback.ts'
import { type ConversationView, viewOf } from './live-conversation.ts'
import type { OutgoingMessage } from './outbox.ts'
import { type Lock, SocketTransport } from './transport.ts'

/** The chat of this tab's member; null on the server, during hydration, and for a visitor. */
export function useChatClient(): ChatClient | null {
	const { viewer } = useRootData()
	const hydrated = useHydrated()
	return hydrated && viewer ? chatOf(viewer.username) : null
}

/**
 * A conversation, live: first as its page was loaded, then with all changes.
 * @param part an older part that the address names, shown instead of the end
 */
export function useConversation(page: ConversationPage, part: MessageWindow | null = null): ConversationView {
	const client = useChatClient()
	const { key } = useLocation()
	const loaded = useMemo(() => viewOf(page, part), [page, part])
	const [visit, setVisit] = useState<string | null>(null)
	useLayoutEffect(() => client?.open(page), [client, page])
	// biome-ignore lint/correctness/useExhaustiveDependencies: once per visit, not for each reload of the page's data
	useLayoutEffect(() => {
		client?.show(page.peer.username, part)
		if (client) setVisit(key)
	}, [client, key, page.peer.username])
	useEffect(() => client?.watch(page.peer.username), [client, page.peer.username])
	const live = useSyncExternalStore(
		client?.subscribe ?? noSubscription,
		() => client?.view(page.peer.username) ?? loaded,
		() => loaded,
	)
	// Until the client shows the part, it knows only the end, which would count as read.
	return part && visit !== key ? loaded : live
}

/** All outgoing messages, to any peer. */
export function useOutgoing(): readonly OutgoingMessage[] {
	const client = useChatClient()
	return useSyncExternalStore(
		client?.subscribe ?? noSubscription,
		() => client?.outgoing() ?? nothing,
		() => nothing,
	)
}

/** The state of this tab's connection to the server. */
export function useConnectionState(): ConnectionState {
	const client = useChatClient()
	return useSyncExternalStore(
		client?.subscribe ?? noSubscription,
		() => client?.connection ?? 'live',
		() => 'live',
	)
}

const nothing: readonly OutgoingMessage[] = []

/** Milliseconds before a lost connection is shown. */
const AWAY_AFTER_MS = 1_500

/** Milliseconds for a lost socket to reconnect, before the chat continues without it. */
const FALLBACK_AFTER_MS = 5_000

let current: { client: ChatClient; stop: () => void } | null = null

/**
 * The chat of the logged-in member, one per tab, until another member logs in. Browser only.
 * @param me username
 */
export function chatOf(me: string): ChatClient {
	if (current?.client.me === me) return current.client
	current?.stop()
	current = start(me)
	return current.client
}

function start(me: string): { client: ChatClient; stop: () => void } {
	const transport = new SocketTransport(me)
	const uploading = { upload: uploadForMessage, measure: measurePicture, refusalOf: uploadRefusal }
	const pictures = { store: new BrowserPictures(me), tab: storageOf(me, sessionStorage), ...uploading }
	const client = new ChatClient({ me, transport, store: storageOf(me, localStorage), lock, newId, pictures })
	void client.sweepPictures()
	const unsubscribe = withLive((socket) => {
		transport.socket = socket
		return listen(socket, client, transport)
	})
	const ended = new AbortController()
	const otherTab = ({ key }: StorageEvent) => client.outbox.owns(key) && client.outboxChangedElsewhere()
	window.addEventListener('storage', otherTab, ended)
	window.addEventListener('pagehide', () => client.leave(), ended)
	ended.signal.addEventListener('abort', unsubscribe)
	return { client, stop: () => ended.abort() }
}

function listen(socket: LiveSocket, client: ChatClient, transport: SocketTransport): () => void {
	const fallback = makeFallback(socket, client, transport)
	let timer: ReturnType<typeof setTimeout> | undefined
	const gone = (quiet = AWAY_AFTER_MS, wait = FALLBACK_AFTER_MS) => {
		clearTimeout(timer)
		timer = setTimeout(() => client.connection === 'live' && client.setConnection('away'), quiet)
		fallback.start(wait)
	}
	const back = () => {
		clearTimeout(timer)
		fallback.stop()
		transport.byHttp = false
		clearSocketsBlocked()
		client.setConnection('live')
		client.connected()
	}
	const lost = (reason: string) => {
		// Closed by this page, because the member left the site.
		if (reason === 'io client disconnect') fallback.stop()
		else gone()
	}
	const looked = () => document.hidden || fallback.hurry()
	const unsubscribe = listenToSocket(socket, client)
	socket.on('connect', back)
	socket.on('disconnect', lost)
	document.addEventListener('visibilitychange', looked)
	if (socket.connected) back()
	else gone(FALLBACK_AFTER_MS, wereSocketsBlocked() ? 0 : 2 * AWAY_AFTER_MS)
	return () => {
		clearTimeout(timer)
		fallback.stop()
		transport.byHttp = false
		unsubscribe()
		socket.off('connect', back)
		socket.off('disconnect', lost)
		document.removeEventListener('visibilitychange', looked)
	}
}

/** Without the Web Locks API (on a page without TLS), two tabs may send at once; the server still stores each message once. */
const lock: Lock = async (name, work) => {
	if (navigator.locks) await navigator.locks.request(name, work)
	else await work()
}

/** A random UUID of version 4. Pages without TLS lack `crypto.randomUUID`. */
function newId(): string {
	return newKey().replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-')
}
