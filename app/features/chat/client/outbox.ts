import type { OutboxStorage, OutgoingPicture, PictureReference } from '~/features/chat-pictures/chat-pictures.view.ts'
import type { ChatMessage, SendResult } from '../chat.view.ts'
import { type Lock, type Transport, waitBeforeRetry } from './transport.ts'

/** An outgoing message: written, shown, and not yet acknowledged. */
export interface OutgoingMessage {
	clientId: string
	/** Username. */
	to: string
	body: string
	pictures: OutgoingPicture[]
	/** Milliseconds since the epoch by this device's clock, unique per member and device. */
	at: number
	/** Why the server refused it; null while it waits to be sent. */
	refusal: string | null
}

/**
 * Messages that a member wrote and the server has not acknowledged. The browser stores them, so that they outlive the tab. Each has
 * its own key: two tabs that write concurrently cannot overwrite each other's.
 */
export class Outbox {
	private readonly prefix: string
	private readonly store: OutboxStorage
	/** Messages that the browser could not store, for lack of space or permission; they live as long as the tab. */
	private readonly unsaved = new Map<string, OutgoingMessage>()
	/** Later states of stored messages that the browser could not store. */
	private readonly unsavedStates = new Map<string, OutgoingMessage>()

	/** @param member username; each member of a browser has a separate outbox */
	constructor(store: OutboxStorage, member: string) {
		this.store = store
		this.prefix = `chat-outbox:${member}:`
	}

	/** @param saved whether the message outlives the tab, which its pictures may not */
	add(message: Pick<OutgoingMessage, 'clientId' | 'to' | 'body' | 'pictures'>, saved = true): void {
		const whole = { ...message, at: this.nextTime(), refusal: null }
		if (!(saved && this.save(whole))) this.unsaved.set(message.clientId, whole)
	}

	/** Removes a message that was acknowledged or discarded. @returns the removed message */
	remove(clientId: string): OutgoingMessage | undefined {
		const message = this.find(clientId)
		this.unsaved.delete(clientId)
		this.unsavedStates.delete(clientId)
		this.store.removeItem(this.prefix + clientId)
		return message
	}

	/** Marks a message that the server refused. */
	refuse(clientId: string, refusal: string): void {
		const message = this.find(clientId)
		if (message) this.rewrite({ ...message, refusal })
	}

	/** Sends a refused message again, after all that wait. It keeps its id, in case the server has it after all. */
	retry(clientId: string): void {
		const message = this.find(clientId)
		if (message?.refusal) this.rewrite({ ...message, at: this.nextTime(), refusal: null })
	}

	/** Messages to this peer get their new username, which sends them to the same member. */
	rename(from: string, to: string): void {
		for (const message of this.list(from)) this.rewrite({ ...message, to })
	}

	/** The next message to send to this peer. */
	next(to: string): OutgoingMessage | undefined {
		return this.list(to).find(({ refusal }) => refusal === null)
	}

	/** Messages to one peer in the order in which they were written, or all. */
	list(to?: string): OutgoingMessage[] {
		const stored = this.keys()
			.flatMap((key) => read(this.store.getItem(key)))
			.map((message) => this.unsavedStates.get(message.clientId) ?? message)
		return [...stored, ...this.unsaved.values()]
			.filter((message) => to === undefined || message.to === to)
			.sort((one, other) => one.at - other.at)
	}

	/** Whether a change of this storage key by another tab concerns this outbox. */
	owns(key: string | null): boolean {
		return key === null || key.startsWith(this.prefix)
	}

	/** A message that is still to be sent, or was refused. */
	find(clientId: string): OutgoingMessage | undefined {
		return this.list().find((message) => message.clientId === clientId)
	}

	private rewrite(message: OutgoingMessage): void {
		const { clientId } = message
		if (this.unsaved.has(clientId)) this.unsaved.set(clientId, message)
		else if (this.save(message)) this.unsavedStates.delete(clientId)
		else this.unsavedStates.set(clientId, message)
	}

	/** @returns whether the browser stored it */
	private save(message: OutgoingMessage): boolean {
		try {
			this.store.setItem(this.prefix + message.clientId, JSON.stringify(message))
			return true
		} catch {
			return false
		}
	}

	private keys(): string[] {
		const all = Array.from({ length: this.store.length }, (_, index) => this.store.key(index) ?? '')
		return all.filter((key) => key.startsWith(this.prefix))
	}

	/** A unique time: messages of one millisecond, or after a clock was set back, keep their order. */
	private nextTime(): number {
		const last = this.list().at(-1)?.at ?? 0
		return Math.max(Date.now(), last + 1)
	}
}

/** Parses a stored message; ignores anything malformed. */
function read(text: string | null): OutgoingMessage[] {
	try {
		const { clientId, to, body, pictures = [], at, refusal } = JSON.parse(text ?? '') as OutgoingMessage
		const sound =
			[clientId, to, body].every((value) => typeof value === 'string') &&
			Number.isFinite(at) &&
			pictures.every(({ id }) => typeof id === 'string')
		return sound ? [{ clientId, to, body, pictures, at, refusal: typeof refusal === 'string' ? refusal : null }] : []
	} catch {
		return []
	}
}

interface SenderParts {
	outbox: Outbox
	attachments: {
		/** @returns the names of uploaded pictures, or why they were refused; null to try again later */
		send: (pictures: readonly OutgoingPicture[]) => Promise<PictureReference[] | string | null>
	}
	transport: Pick<Transport, 'connected' | 'send'>
	lock: Lock
	/** The server has stored the message; removes it from the outbox. */
	onSent: (message: ChatMessage, to: string) => void
	/** The outbox has changed otherwise. */
	onChange: () => void
}

/**
 * Sends the outbox, one message at a time per conversation: each waits for the acknowledgement of the one before, so that they
 * arrive in order.
 */
export class Sender {
	private readonly parts: SenderParts
	private readonly busy = new Set<string>()

	constructor(parts: SenderParts) {
		this.parts = parts
	}

	/** Sends everything for this peer, unless that is running; resolves when nothing waits or the server is unreachable. */
	async drain(to: string): Promise<void> {
		if (this.busy.has(to)) return
		this.busy.add(to)
		try {
			await this.parts.lock(`chat:${to}`, () => this.sendAll(to))
		} finally {
			this.busy.delete(to)
		}
		// A message may have been written since the last check of the outbox.
		if (this.parts.transport.connected() && this.parts.outbox.next(to)) await this.drain(to)
	}

	private async sendAll(to: string): Promise<void> {
		const { outbox, transport, onSent, onChange } = this.parts
		let tries = 0
		while (transport.connected()) {
			const message = outbox.next(to)
			if (!message) return
			const { clientId } = message
			const answer = await this.send(message)
			// Discarded while its pictures were uploading.
			if (answer === 'gone') continue
			if (answer?.ok) {
				onSent(answer.message, to)
				tries = 0
			} else if (answer && !answer.retry) {
				outbox.refuse(clientId, answer.message)
				onChange()
			} else {
				await waitBeforeRetry(tries, answer?.retryAfter)
				tries += 1
			}
		}
	}

	/** Uploads its pictures, then sends the message. @returns null when no answer came, as in {@link Transport.send} */
	private async send({ clientId, to, body, pictures }: OutgoingMessage): Promise<SendResult | null | 'gone'> {
		const { outbox, attachments, transport } = this.parts
		if (pictures.length === 0) return transport.send({ to, clientId, body })
		const named = await attachments.send(pictures)
		if (!outbox.find(clientId)) return 'gone'
		if (typeof named === 'string') return { ok: false, message: named, retry: false }
		return named && transport.connected() ? transport.send({ to, clientId, body, pictures: named }) : null
	}
}
