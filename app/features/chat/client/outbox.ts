import type { NamedPicture, OutgoingPicture, Store } from '~/features/chat-pictures/chat-pictures.view.ts'
import type { ChatMessage, SendAnswer } from '../chat.view.ts'
import { type Lock, pause, type Transport } from './transport.ts'

/** A message on its way: written, shown, and not yet acknowledged. */
export interface Outgoing {
	clientId: string
	/** Username. */
	to: string
	body: string
	pictures: OutgoingPicture[]
	/** Milliseconds of the epoch by this device's clock, never the same twice for one member's device. */
	at: number
	/** Why it was refused, in words; null while it waits to be sent. */
	refusal: string | null
}

/**
 * What a member wrote and the server has not acknowledged, stored by the browser, so that it outlives the tab. Every message
 * has a key of its own: two tabs that write at the same moment cannot overwrite each other's.
 */
export class Outbox {
	private readonly prefix: string
	private readonly store: Store
	/** What the browser would not keep, for want of room or of permission: it lives as long as the tab. */
	private readonly unsaved = new Map<string, Outgoing>()

	/** @param member username: another member of the same browser has another outbox */
	constructor(store: Store, member: string) {
		this.store = store
		this.prefix = `chat-outbox:${member}:`
	}

	/** @param saved whether the message outlives the tab, as its pictures may not */
	add(message: Pick<Outgoing, 'clientId' | 'to' | 'body' | 'pictures'>, saved = true): void {
		const whole = { ...message, at: this.nextTime(), refusal: null }
		if (saved) this.write(whole)
		else this.unsaved.set(message.clientId, whole)
	}

	/** The server has it, or it was given up. @returns what was removed */
	remove(clientId: string): Outgoing | undefined {
		const message = this.find(clientId)
		this.unsaved.delete(clientId)
		this.store.removeItem(this.prefix + clientId)
		return message
	}

	/** The server will not have it. */
	refuse(clientId: string, refusal: string): void {
		const message = this.find(clientId)
		if (message) this.rewrite({ ...message, refusal })
	}

	/** Sends a refused one again, after all that wait; under the same id, in case the server has it after all. */
	retry(clientId: string): void {
		const message = this.find(clientId)
		if (message?.refusal) this.rewrite({ ...message, at: this.nextTime(), refusal: null })
	}

	/** What must be sent next to this member. */
	next(to: string): Outgoing | undefined {
		return this.list(to).find(({ refusal }) => refusal === null)
	}

	/** Everything to one member in the order it was written, or everything at all. */
	list(to?: string): Outgoing[] {
		const stored = this.keys().flatMap((key) => read(this.store.getItem(key)))
		return [...stored, ...this.unsaved.values()]
			.filter((message) => to === undefined || message.to === to)
			.sort((one, other) => one.at - other.at)
	}

	/** Whether a change of this key of the browser's storage, made by another tab, concerns this outbox. */
	owns(key: string | null): boolean {
		return key === null || key.startsWith(this.prefix)
	}

	/** A message that is still to be sent, or that was refused. */
	find(clientId: string): Outgoing | undefined {
		return this.list().find((message) => message.clientId === clientId)
	}

	private rewrite(message: Outgoing): void {
		if (this.unsaved.has(message.clientId)) this.unsaved.set(message.clientId, message)
		else this.write(message)
	}

	private write(message: Outgoing): void {
		try {
			this.store.setItem(this.prefix + message.clientId, JSON.stringify(message))
		} catch {
			this.unsaved.set(message.clientId, message)
		}
	}

	private keys(): string[] {
		const all = Array.from({ length: this.store.length }, (_, index) => this.store.key(index) ?? '')
		return all.filter((key) => key.startsWith(this.prefix))
	}

	/** Two messages of one millisecond, or of a clock that was set back, keep their order. */
	private nextTime(): number {
		const last = this.list().at(-1)?.at ?? 0
		return Math.max(Date.now(), last + 1)
	}
}

/** What anybody's script of this site may have left there is no message. */
function read(text: string | null): Outgoing[] {
	try {
		const { clientId, to, body, pictures = [], at, refusal } = JSON.parse(text ?? '') as Outgoing
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
		/** @returns how the message names its pictures, or why not; null to try again later */
		send: (pictures: readonly OutgoingPicture[]) => Promise<NamedPicture[] | string | null>
	}
	transport: Pick<Transport, 'connected' | 'send'>
	lock: Lock
	/** The server has it, as this; takes it out of the outbox. */
	onSent: (message: ChatMessage, to: string) => void
	/** The outbox has changed in another way. */
	onChange: () => void
}

/**
 * Empties the outbox, one message after the other in each conversation: the next leaves when the one before it is
 * acknowledged, so that they arrive in the order they were written.
 */
export class Sender {
	private readonly parts: SenderParts
	private readonly busy = new Set<string>()

	constructor(parts: SenderParts) {
		this.parts = parts
	}

	/** Sends all that waits for this member, unless that is being done; returns when nothing waits or the server is away. */
	async drain(to: string): Promise<void> {
		if (this.busy.has(to)) return
		this.busy.add(to)
		try {
			await this.parts.lock(`chat:${to}`, () => this.sendAll(to))
		} finally {
			this.busy.delete(to)
		}
		// Written between the last look into the outbox and here.
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
			// Given up while its pictures were on their way.
			if (answer === 'gone') continue
			if (answer?.ok) {
				onSent(answer.message, to)
				tries = 0
			} else if (answer && !answer.retry) {
				outbox.refuse(clientId, answer.message)
				onChange()
			} else {
				await pause(tries, answer?.retryAfter)
				tries += 1
			}
		}
	}

	/** Sends its pictures, then the message. @returns null when no answer came, as {@link Transport.send} */
	private async send({ clientId, to, body, pictures }: Outgoing): Promise<SendAnswer | null | 'gone'> {
		const { outbox, attachments, transport } = this.parts
		if (pictures.length === 0) return transport.send({ to, clientId, body })
		const named = await attachments.send(pictures)
		if (!outbox.find(clientId)) return 'gone'
		if (typeof named === 'string') return { ok: false, message: named, retry: false }
		return named && transport.connected() ? transport.send({ to, clientId, body, pictures: named }) : null
	}
}
