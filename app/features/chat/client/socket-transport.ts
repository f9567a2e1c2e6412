import type { Live } from '~/platform/realtime/live.ts'
import type { ChatSending, ConversationPage, MessageWindow, SendAnswer } from '../protocol.ts'
import { seenByHttp, sendByHttp } from './http-wire.ts'
import type { Changes, OlderPage } from './thread.ts'
import type { Transport } from './transport.ts'

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

	/** Not kept for later: the next mark says more. */
	seen(mark: { with: string; upTo: number; read: boolean }): void {
		if (this.byHttp) void seenByHttp(this.me, mark)
		else this.socket?.volatile.emit('chat:seen', mark)
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
