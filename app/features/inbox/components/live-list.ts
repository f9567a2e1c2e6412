import { useEffect, useRef, useState } from 'react'
import { textOfMessage } from '~/features/chat/chat.view.ts'
import { TYPING_SHOWN_MS } from '~/features/chat/client/live-conversation.ts'
import { useChatClient } from '~/features/chat/client/use-chat.ts'
import { textOfHtml } from '~/lib/html.ts'
import { truncateWords } from '~/lib/text.ts'
import type { ServerEvents } from '~/platform/realtime/events.ts'
import { withLive } from '~/platform/realtime/live.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'
import { usePresence } from '~/platform/realtime/use-presence.ts'
import type { ConversationSummary } from '../inbox.view.ts'

/**
 * The conversations that a page listed, updated live.
 * @param loaded the same array until the list is loaded again; null before it was loaded
 * @param reload loads the list again: after a message in a conversation that it does not have, or a reconnect
 */
export function useLiveList(loaded: ConversationSummary[] | null, reload: () => void) {
	const [held, setHeld] = useState({ loaded, list: loaded ?? none })
	const client = useChatClient()
	// Several events may arrive before the next render: each is applied to the result of the one before.
	const newest = useRef(held)
	if (newest.current.loaded !== loaded) newest.current = { loaded, list: loaded ?? none }
	const change = (changed: (list: ConversationSummary[]) => ConversationSummary[] | null) => {
		const next = changed(newest.current.list)
		if (!next) return reload()
		newest.current = { ...newest.current, list: next }
		setHeld(newest.current)
	}
	const list = held.loaded === loaded ? held.list : (loaded ?? none)
	const caughtUp = useRef('')
	// Once for each message, as a list of older conversations never has the newest one.
	const catchUp = () => {
		const heard = client?.newestSentAt ?? ''
		if (!newest.current.loaded || !lacks(newest.current.list, heard) || caughtUp.current === heard) return
		caughtUp.current = heard
		reload()
	}
	useLiveEvent('chat:message', (event) => change((list) => withMessage(list, event)))
	useLiveEvent('chat:read', (event) => change((list) => withRead(list, event.with, event.unread)))
	useLiveEvent('chat:all-read', (event) => change((list) => withAllRead(list, event.with)))
	useLiveEvent('chat:state', () => reload())
	// When polling, this is the only event.
	useLiveEvent('chat:count', ({ newest: sentAt = null }) => {
		client?.noteNewest(sentAt)
		if (client?.connection === 'polling') reload()
		else catchUp()
	})
	useReconnected(reload)
	// A message that arrived while the list was loading, before this page was shown, is in neither.
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each load
	useEffect(catchUp, [client, loaded])
	const online = usePresence(list.map(({ peer }) => peer))
	const typing = useTyping()
	return { list, online, typing }
}

const none: ConversationSummary[] = []

/** Whether a message that was sent at this time is newer than all of the list. */
function lacks(list: ConversationSummary[], sentAt: string): boolean {
	return list.every(({ last }) => (last?.sentAt ?? '') < sentAt)
}

/** Usernames of the peers who are typing. */
function useTyping(): ReadonlySet<string> {
	const [typing, setTyping] = useState<ReadonlySet<string>>(new Set())
	const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>())
	const stop = (username: string) => {
		clearTimeout(timers.current.get(username))
		timers.current.delete(username)
		setTyping(new Set(timers.current.keys()))
	}
	useLiveEvent('chat:typing', ({ from }) => {
		clearTimeout(timers.current.get(from))
		timers.current.set(
			from,
			setTimeout(() => stop(from), TYPING_SHOWN_MS),
		)
		setTyping(new Set(timers.current.keys()))
	})
	useLiveEvent('chat:message', ({ with: peer, message }) => {
		if (message.sender === peer && timers.current.has(peer)) stop(peer)
	})
	useEffect(() => {
		const running = timers.current
		return () => {
			for (const timer of running.values()) clearTimeout(timer)
		}
	}, [])
	return typing
}

/** Calls `again` after the socket has reconnected. */
function useReconnected(again: () => void): void {
	const latest = useRef(again)
	latest.current = again
	useEffect(
		() =>
			withLive((socket) => {
				let lost = false
				const gone = () => {
					lost = true
				}
				const back = () => {
					if (lost) latest.current()
					lost = false
				}
				socket.on('disconnect', gone)
				socket.on('connect', back)
				return () => {
					socket.off('disconnect', gone)
					socket.off('connect', back)
				}
			}),
		[],
	)
}

type Heard = Parameters<ServerEvents['chat:message']>[0]

const MAX_EXCERPT = 100

/**
 * Updates the list for a message that was added, edited or deleted: its conversation moves to the top.
 * @returns null if the list has to be loaded again
 */
export function withMessage(list: ConversationSummary[], heard: Heard): ConversationSummary[] | null {
	const known = list.find(({ peer }) => peer.username === heard.with)
	if (!known) return null
	const { sender, sentAt, deleted } = heard.message
	const then = known.last?.sentAt ?? ''
	// A change of an older message does not affect the preview.
	if (sentAt < then) return list.map((each) => (each === known ? { ...each, unread: heard.unread } : each))
	const { html, pictures } = heard.message
	const excerpt = truncateWords(textOfMessage({ body: textOfHtml(html), pictures }), MAX_EXCERPT)
	const changed = { ...known, unread: heard.unread, last: { sender, excerpt, sentAt, deleted } }
	if (sentAt === then) return list.map((each) => (each === known ? changed : each))
	return [changed, ...list.filter((each) => each !== known)]
}

/** Updates the list after a conversation was read, in this tab or elsewhere. */
export function withRead(list: ConversationSummary[], peer: string, unread: number): ConversationSummary[] {
	return list.map((each) => (each.peer.username === peer ? { ...each, unread } : each))
}

/** Updates the list after all of these conversations were read. */
export function withAllRead(list: ConversationSummary[], peers: string[]): ConversationSummary[] {
	return list.map((each) => (peers.includes(each.peer.username) ? { ...each, unread: 0 } : each))
}
