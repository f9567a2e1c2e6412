import { type LiveSocket, tell } from '~/platform/realtime/live.ts'
import type { ConversationPage, MessageWindow, SendPayload, SendResult } from '../chat.view.ts'
import type { ConversationChanges, OlderPage } from './message-history.ts'

/** A member's former and present username. */
export interface Rename {
	from: string
	to: string
}

/** A tab's connection to the server. Requests reject when there is no answer. */
export interface Transport {
	connected(): boolean
	/** @returns null when no answer came: the message may have arrived, and is sent again with the same id */
	send(message: SendPayload): Promise<SendResult | null>
	/** @param leaving the page is about to unload, and the request has to outlive it */
	seen(event: { with: string; upTo: number; read: boolean }, leaving: boolean): void
	typing(to: string): void
	/** The peer was renamed while this tab was asleep or offline, so it did not hear of that. */
	missedRename(from: string, to: string): void
	/** The present usernames of those of these members who were renamed. */
	renamed(usernames: string[]): Promise<Rename[]>
	page(peer: string): Promise<ConversationPage>
	since(peer: string, version: number): Promise<ConversationChanges>
	before(peer: string, id: number): Promise<OlderPage>
	after(peer: string, id: number): Promise<MessageWindow>
}

/** Runs `work` while no other tab of this browser runs work of the same name. */
export type Lock = (name: string, work: () => Promise<void>) => Promise<void>

/**
 * Waits before a retry: 1 s, 2 s, 4 s, then 8 s, or as long as the server asks for.
 * @param tries number of tries so far
 * @param asked whole seconds that a limit lasts
 */
export function waitBeforeRetry(tries: number, asked = 0): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 1_000 * Math.max(asked, 2 ** Math.min(tries, 3))))
}

/** Milliseconds to wait for an acknowledgement before the message is sent again with the same id. */
const ANSWER_TIMEOUT_MS = 10_000

/** Milliseconds to wait for a part of a conversation, of which a slow phone needs some. A browser would wait for minutes. */
const HISTORY_TIMEOUT_MS = 30_000

/** Uses the tab's socket for events, HTTP for requests, and HTTP for both while there is no socket. */
export class SocketTransport implements Transport {
	socket: LiveSocket | null = null
	/** Whether HTTP replaces the socket. */
	byHttp = false
	private readonly me: string

	/** @param me username */
	constructor(me: string) {
		this.me = me
	}

	connected = (): boolean => this.byHttp || (this.socket?.connected ?? false)

	async send(message: SendPayload): Promise<SendResult | null> {
		if (this.byHttp) return sendByHttp(this.me, message)
		try {
			return (await this.socket?.timeout(ANSWER_TIMEOUT_MS).emitWithAck('chat:send', message)) ?? null
		} catch {
			return null
		}
	}

	/** What was only delivered is not queued: a later receipt includes it. */
	seen(event: { with: string; upTo: number; read: boolean }, leaving: boolean): void {
		// A socket loses unsent events when its page unloads.
		if (this.byHttp || leaving) void seenByHttp(this.me, event)
		// Of several volatile events of the same moment, only the first is sent.
		else if (event.read) this.socket?.emit('chat:seen', event)
		else this.socket?.volatile.emit('chat:seen', event)
	}

	typing(to: string): void {
		this.socket?.volatile.emit('chat:typing', to)
	}

	missedRename(from: string, to: string): void {
		if (this.socket) tell(this.socket, 'member:renamed', { from, to })
	}

	async renamed(usernames: string[]): Promise<Rename[]> {
		const answer = await askLatest(`?names=${usernames.map(encodeURIComponent).join()}`)
		if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
		return answer.json()
	}

	page = loadPage
	since = (peer: string, version: number) => ask<ConversationChanges>(peer, `since=${version}`)
	before = (peer: string, id: number) => ask<OlderPage>(peer, `before=${id}`)
	after = (peer: string, id: number) => ask<MessageWindow>(peer, `after=${id}`)
}

/** Loads a conversation, even one without messages. @throws when there is no such member, or no answer */
export function loadPage(peer: string): Promise<ConversationPage> {
	return ask(peer, 'page=1')
}

/** @throws when there is no such conversation, or no answer */
async function ask<Answer>(peer: string, question: string): Promise<Answer> {
	const answer = await fetch(`/messages/${encodeURIComponent(peer)}/history?${question}`, {
		headers: { Accept: 'application/json' },
		signal: AbortSignal.timeout(HISTORY_TIMEOUT_MS),
	})
	if (!answer.ok) throw new Error(`The conversation answered ${answer.status}`)
	return answer.json()
}

/* What the socket carries, by HTTP: for networks that block sockets. */

/** Milliseconds to wait for a response. */
const REQUEST_TIMEOUT_MS = 10_000

/** Unread counts, and who is logged in now: part of the response of the inbox. */
export interface LatestCounts {
	/** Number of conversations with unread messages. */
	unread: number
	/** Unread notifications. */
	notifications: number
	/** Username. */
	me: string
}

/** Asks for unread counts. @returns null when nobody is logged in any longer @throws when there is no answer */
export async function fetchLatestCounts(): Promise<LatestCounts | null> {
	const answer = await askLatest()
	if (answer.status === 401) return null
	if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
	return answer.json()
}

function askLatest(question = ''): Promise<Response> {
	const headers = { Accept: 'application/json' }
	return fetch(`/messages/latest${question}`, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
}

/** Sends a message. @returns null when no answer came, or one that is not the chat's */
async function sendByHttp(
	me: string,
	{ to, ...message }: Parameters<Transport['send']>[0],
): Promise<SendResult | null> {
	const answer = await say(me, to, message).catch(() => null)
	return answer?.ok ? answer.json().catch(() => null) : null
}

/** Sends a receipt, even while the page unloads. A lost one does no harm: the next includes it. */
async function seenByHttp(me: string, { with: peer, ...event }: Parameters<Transport['seen']>[0]): Promise<void> {
	await say(me, peer, event, { keepalive: true }).catch(() => null)
}

function say(me: string, peer: string, words: object, options: RequestInit = {}): Promise<Response> {
	return fetch(`/messages/${encodeURIComponent(peer)}/wire`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: JSON.stringify({ me, ...words }),
		signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		...options,
	})
}
