import type { Attachments } from '../pictures/client/attachments.ts'
import type { ChatMessage, SendAnswer } from '../protocol.ts'
import type { Outbox, Outgoing } from './outbox.ts'
import { type Lock, pause, type Transport } from './transport.ts'

interface SenderParts {
	outbox: Outbox
	attachments: Pick<Attachments, 'send'>
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
