import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import type { ChatMessage, SendAnswer } from '~/realtime/chat-events.ts'
import type { View, Written } from './chat-history.ts'
import { startTab } from './tabs.ts'

/** Milliseconds until a send without an answer is tried again. */
const patience = 2_000
/** Milliseconds before a message that was put off, or a question that failed, is tried again. */
const pause = 150

/**
 * A member at a device, as the product's own client behaves: an outbox that is emptied in order and keeps what was not
 * acknowledged, and a copy of the conversation that follows the versions of the live events and asks wherever one is missing.
 */
export class ChatMember {
	readonly written: Written
	private readonly url: string
	private readonly cookie: string
	private readonly socket: Socket
	private readonly outbox: Written['messages'] = []
	private readonly held = new Map<number, ChatMessage>()
	private version = 0
	private emptying: Promise<void> | undefined
	private catching: Promise<void> | undefined
	private left = false

	constructor({ url, cookie, from, to }: { url: string; cookie: string; from: string; to: string }) {
		this.url = url
		this.cookie = cookie
		this.written = { from, to, messages: [] }
		this.socket = startTab(url, { Cookie: cookie })
		this.socket.on('connect', () => this.catchUp())
		this.socket.on('connect_error', () => setTimeout(() => this.left || this.socket.connect(), pause))
		this.socket.on('disconnect', () => setTimeout(() => this.left || this.socket.connect(), pause))
		this.socket.on('chat:message', (event: { with: string; message: ChatMessage }) => this.hear(event))
	}

	/** Puts a message into the outbox, which is emptied whenever the server is there. */
	write(body: string): void {
		const message = { clientId: randomUUID(), body, acknowledged: null }
		this.outbox.push(message)
		this.written.messages.push(message)
		this.emptying ??= this.empty().finally(() => {
			this.emptying = undefined
		})
	}

	/** Says that the newest message this device has was seen. */
	read(): void {
		const upTo = Math.max(0, ...this.held.keys())
		this.socket.volatile.emit('chat:seen', { with: this.written.to, upTo, read: true })
	}

	/** Cuts the connection as a lost network would; it comes back by itself. */
	cut(): void {
		this.socket.io.engine?.close()
	}

	/** Waits until everything written is acknowledged and everything there is has arrived. */
	async settle(): Promise<void> {
		await this.emptying
		this.catchUp()
		await this.catching
	}

	/** What this device shows. */
	get view(): View {
		const messages = [...this.held.values()].sort((one, other) => one.id - other.id)
		return viewOf(this.written, 'live', this.version, messages)
	}

	/** What the pages of the conversation show, from the newest to the first. */
	async readPages(): Promise<View> {
		const page = await this.ask<{ messages: ChatMessage[]; older: boolean; version: number }>('page=1')
		const messages = [...page.messages]
		for (let older = page.older; older; ) {
			const before = await this.ask<{ messages: ChatMessage[]; older: boolean }>(`before=${messages[0]?.id}`)
			messages.unshift(...before.messages)
			older = before.older
		}
		return viewOf(this.written, 'pages', page.version, messages)
	}

	leave(): void {
		this.left = true
		this.socket.disconnect()
	}

	private async empty(): Promise<void> {
		for (let first = this.outbox[0]; first; first = this.outbox[0]) {
			const answer = await this.send(first)
			if (!answer) continue
			if (answer.ok) {
				first.acknowledged = answer.message.id
				this.outbox.shift()
			} else if (answer.retry) await sleep(pause)
			else throw new Error(`A message was refused: ${answer.message}`)
		}
	}

	private async send({ clientId, body }: { clientId: string; body: string }): Promise<SendAnswer | null> {
		try {
			const message = { to: this.written.to, clientId, body }
			return await this.socket.timeout(patience).emitWithAck('chat:send', message)
		} catch {
			return null
		}
	}

	private hear({ with: peer, message }: { with: string; message: ChatMessage }): void {
		if (peer !== this.written.to || message.version <= this.version) return
		if (message.version > this.version + 1 || this.catching) this.catchUp()
		else this.take(message, message.version)
	}

	/** Asks for everything after the own version; what is asked meanwhile is asked once more. */
	private catchUp(): void {
		const before = this.catching ?? Promise.resolve()
		const mine = before.then(() => this.catchUpNow())
		this.catching = mine
		void mine.then(() => {
			if (this.catching === mine) this.catching = undefined
		})
	}

	private async catchUpNow(): Promise<void> {
		for (let complete = false; !complete && !this.left; ) {
			const since = this.version
			const answer = await this.ask<{ messages: ChatMessage[]; version: number; complete: boolean }>(`since=${since}`)
			for (const message of answer.messages) this.take(message, message.version)
			this.version = answer.version
			complete = answer.complete
		}
	}

	private take(message: ChatMessage, version: number): void {
		this.held.set(message.id, message)
		this.version = version
	}

	/** Asks until there is an answer. */
	private async ask<Answer>(question: string): Promise<Answer> {
		for (;;) {
			const path = `${this.url}/messages/${this.written.to}/history?${question}`
			const answer = await fetch(path, { headers: { Cookie: this.cookie } }).catch(() => null)
			const text = answer?.ok ? await answer.text().catch(() => null) : null
			if (text !== null) return JSON.parse(text)
			await sleep(pause)
		}
	}
}

function viewOf({ from, to }: Written, by: string, version: number, messages: ChatMessage[]): View {
	const seen = messages.map(({ id, clientId, sender, body, version: of }) => ({
		id,
		clientId,
		sender,
		body,
		version: of,
	}))
	return { member: from, peer: to, by, version, messages: seen }
}
