import type { Live } from '~/platform/realtime/live.ts'
import type { ChatSending, ConversationPage, MessageWindow, SendAnswer } from '../chat.view.ts'
import type { Changes, OlderPage } from './message-history.ts'

/** The ways of a tab to the server. What is asked is refused with an exception when no answer can be had. */
export interface Transport {
	connected(): boolean
	/** @returns null when no answer came: the message may have arrived or not, and is sent again under the same id */
	send(message: ChatSending): Promise<SendAnswer | null>
	/** @param leaving the page is about to go, and the event has to outlive it */
	seen(event: { with: string; upTo: number; read: boolean }, leaving: boolean): void
	typing(to: string): void
	page(peer: string): Promise<ConversationPage>
	since(peer: string, version: number): Promise<Changes>
	before(peer: string, id: number): Promise<OlderPage>
	after(peer: string, id: number): Promise<MessageWindow>
}

/** Runs `work` while no other tab of this browser runs anything under the same name. */
export type Lock = (name: string, work: () => Promise<void>) => Promise<void>

/**
 * Waits until the next try: 1 s, 2 s, 4 s, 8 s, and no longer than that, or as long as the server asks for.
 * @param tries how many there were
 * @param asked whole seconds that a limit lasts
 */
export function pause(tries: number, asked = 0): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 1_000 * Math.max(asked, 2 ** Math.min(tries, 3))))
}

/** How long an acknowledgement is waited for, in milliseconds, before the message is sent again under the same id. */
const ANSWER_TIMEOUT_MS = 10_000

/** The ways to the server: the tab's socket for what is said, HTTP for what is asked, and for both while there is no socket. */
export class SocketTransport implements Transport {
	socket: Live | null = null
	/** Whether HTTP stands in for the socket. */
	byHttp = false
	private readonly me: string

	/** @param me username */
	constructor(me: string) {
		this.me = me
	}

	connected = (): boolean => this.byHttp || (this.socket?.connected ?? false)

	async send(message: ChatSending): Promise<SendAnswer | null> {
		if (this.byHttp) return sendByHttp(this.me, message)
		try {
			return (await this.socket?.timeout(ANSWER_TIMEOUT_MS).emitWithAck('chat:send', message)) ?? null
		} catch {
			return null
		}
	}

	/** Not queued: the next one says more. */
	seen(event: { with: string; upTo: number; read: boolean }, leaving: boolean): void {
		// What a socket has not yet sent goes with its page.
		if (this.byHttp || leaving) void seenByHttp(this.me, event)
		else this.socket?.volatile.emit('chat:seen', event)
	}

	typing(to: string): void {
		this.socket?.volatile.emit('chat:typing', to)
	}

	page = loadPage
	since = (peer: string, version: number) => ask<Changes>(peer, `since=${version}`)
	before = (peer: string, id: number) => ask<OlderPage>(peer, `before=${id}`)
	after = (peer: string, id: number) => ask<MessageWindow>(peer, `after=${id}`)
}

/** A conversation as it is opened, also one that nobody has begun. @throws when there is no such member, or no answer */
export function loadPage(peer: string): Promise<ConversationPage> {
	return ask(peer, 'page=1')
}

/** @throws when there is no such conversation, or no answer */
async function ask<Answer>(peer: string, question: string): Promise<Answer> {
	const answer = await fetch(`/messages/${encodeURIComponent(peer)}/history?${question}`, {
		headers: { Accept: 'application/json' },
	})
	if (!answer.ok) throw new Error(`The conversation answered ${answer.status}`)
	return answer.json()
}

/* What the socket carries, by HTTP: for networks that let no socket through. */

/** How long an answer is waited for, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000

/** What is unread, and for whom the browser is signed in now: part of what the inbox is answered. */
export interface Latest {
	/** Conversations with something unread. */
	unread: number
	/** Unread notifications. */
	notifications: number
	/** Username. */
	me: string
}

/** Asks what is new. @returns null when nobody is signed in any more @throws when no answer can be had */
export async function askLatest(): Promise<Latest | null> {
	const headers = { Accept: 'application/json' }
	const answer = await fetch('/messages/latest', { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
	if (answer.status === 401) return null
	if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
	return answer.json()
}

/** Sends a message. @returns null when no answer came, or none of the chat's */
async function sendByHttp(
	me: string,
	{ to, ...message }: Parameters<Transport['send']>[0],
): Promise<SendAnswer | null> {
	const answer = await say(me, to, message).catch(() => null)
	return answer?.ok ? answer.json().catch(() => null) : null
}

/** Says how far this member got, also when the page is left meanwhile. One that is lost is not missed: the next says more. */
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
