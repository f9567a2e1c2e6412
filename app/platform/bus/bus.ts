import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Transports messages between processes. */
export interface BusTransport {
	/** Maximum bytes of a message. */
	longest: number
	/** Sends messages, in this order. @throws Error when it is unknown whether they were sent */
	send: (channel: string, texts: string[]) => Promise<void>
	/**
	 * Listens on a channel.
	 * @param onEnd called once when the connection is lost, but not before this has resolved
	 * @returns stops listening, without a call of `onEnd`
	 */
	listen: (channel: string, hear: (text: string) => void, onEnd: () => void) => Promise<() => Promise<void>>
}

export interface Listener {
	onMessage: (message: string) => void
	/** The connection is lost, or a sender failed: messages may be missed from now on. */
	onLost: () => void
	/** The connection is back; what was published meanwhile was missed. */
	onBack: () => void
}

/** The outgoing queue of a channel. */
interface Queue {
	waiting: string[]
	/** The batch being sent; it never rejects. */
	now: Promise<void>
	/** The next batch, which takes everything that waits. */
	next?: Promise<void>
	/** Whether a message could not be sent, and no report of that is on its way to the listeners. */
	hasUnreportedLoss: boolean
	/** Whether a loss is being reported, again and again until that works. */
	isReporting: boolean
}

/** Milliseconds between retries of subscribing or sending. */
const RETRY_MS = 500
/** Maximum messages in the queue: a carrier that hangs would otherwise fill the memory. */
const MAX_WAITING = 20_000
/** Sent in place of messages that could not be sent. */
const missed = '?'

/**
 * The channel between the processes of a site. A message reaches every other listening process at most once, and in the order in
 * which one process published it. Listeners are notified when they may have missed something.
 */
export class Bus {
	readonly #carrier: BusTransport
	/** Prefix of sent messages, so that a process ignores its own. */
	readonly #self = randomUUID()
	#sequence = 0
	readonly #queues = new Map<string, Queue>()

	constructor(carrier: BusTransport) {
		this.#carrier = carrier
	}

	/**
	 * Publishes to all other listeners of this channel. Messages published while a batch is being sent form the next batch.
	 * @returns once it is sent
	 * @throws Error when it could not be sent; the listeners are notified later that they missed something
	 */
	publish(channel: string, message: string): Promise<void> {
		const queue = this.#queueOf(channel)
		if (queue.waiting.length >= MAX_WAITING) {
			void this.#reportLoss(channel, queue)
			return Promise.reject(new Error('Too much waits for the bus already.'))
		}
		queue.waiting.push(...splitMessage(message, this.#carrier.longest).map((part) => this.#sign(part)))
		queue.next ??= queue.now.then(() => this.#flush(channel, queue))
		return queue.next
	}

	/**
	 * Listens on a channel, and reconnects whenever the connection is lost.
	 * @returns stops listening
	 * @throws Error when the first connection fails
	 */
	async open(channel: string, listener: Listener): Promise<() => Promise<void>> {
		let stopped = false
		const listen = () => {
			const join = joinParts()
			return this.#carrier.listen(channel, (text) => this.#hear(text, join, listener), lost)
		}
		const lost = async () => {
			listener.onLost()
			while (!stopped) {
				await sleep(RETRY_MS, undefined, { ref: false })
				const again = await listen().catch(() => null)
				if (!again) continue
				end = again
				if (stopped) await end()
				else listener.onBack()
				return
			}
		}
		let end = await listen()
		return async () => {
			stopped = true
			await end()
		}
	}

	/** PostgreSQL drops equal notifications within one transaction, so a number makes each unique. */
	#sign(part: string): string {
		this.#sequence += 1
		return `${this.#self}${this.#sequence.toString(36)} ${part}`
	}

	#hear(text: string, join: ReturnType<typeof joinParts>, listener: Listener): void {
		const space = text.indexOf(' ')
		const sender = text.slice(0, this.#self.length)
		const part = text.slice(space + 1)
		if (sender === this.#self) return
		if (part === missed) {
			listener.onLost()
			listener.onBack()
			return
		}
		const message = join(sender, Number.parseInt(text.slice(sender.length, space), 36), part)
		if (message !== null) listener.onMessage(message)
	}

	#queueOf(channel: string): Queue {
		const queue = this.#queues.get(channel) ?? {
			waiting: [],
			now: Promise.resolve(),
			hasUnreportedLoss: false,
			isReporting: false,
		}
		this.#queues.set(channel, queue)
		return queue
	}

	async #flush(channel: string, queue: Queue): Promise<void> {
		const texts = queue.waiting
		queue.waiting = []
		queue.next = undefined
		const sent = this.#carrier.send(channel, texts)
		queue.now = sent.catch(() => {})
		try {
			await sent
		} catch (error) {
			void this.#reportLoss(channel, queue)
			throw error
		}
	}

	/** Notifies the listeners that they missed messages, as soon as sending works again. */
	async #reportLoss(channel: string, queue: Queue): Promise<void> {
		queue.hasUnreportedLoss = true
		if (queue.isReporting) return
		queue.isReporting = true
		while (queue.hasUnreportedLoss) {
			await sleep(RETRY_MS, undefined, { ref: false })
			// What is lost from now on needs another report, as the listeners may get this one earlier.
			queue.hasUnreportedLoss = false
			await this.#carrier.send(channel, [this.#sign(missed)]).catch(() => {
				queue.hasUnreportedLoss = true
			})
		}
		queue.isReporting = false
	}
}

/** Bytes reserved for the header: the sender, the number of the part, and how many parts follow. */
const MAX_HEAD_BYTES = 64

/**
 * Splits a message into parts that a carrier can send.
 * @param longest maximum bytes of a part with its header
 */
export function splitMessage(message: string, longest: number): string[] {
	if (Buffer.byteLength(message) + MAX_HEAD_BYTES <= longest) return [`0 ${message}`]
	// A UTF-16 unit takes at most three bytes in UTF-8, a surrogate pair four.
	const size = Math.floor((longest - MAX_HEAD_BYTES) / 3)
	const pieces: string[] = []
	for (let from = 0; from < message.length; ) {
		const end = from + size
		// Half of a surrogate pair would be sent as a question mark.
		const to = /[\ud800-\udbff]/.test(message[end - 1] ?? '') ? end - 1 : end
		pieces.push(message.slice(from, to))
		from = to
	}
	return pieces.map((piece, index) => `${pieces.length - 1 - index} ${piece}`)
}

/**
 * Reassembles parts. A sender numbers all its parts, so that what is left of a message whose other parts were never sent does not
 * become part of the next one.
 * @returns takes a part of a sender with its number, and gives the message when the part was the last, else null
 */
export function joinParts(): (sender: string, number: number, part: string) => string | null {
	const begun = new Map<string, { text: string; number: number }>()
	return (sender, number, part) => {
		const before = begun.get(sender)
		begun.delete(sender)
		const space = part.indexOf(' ')
		const text = (before?.number === number - 1 ? before.text : '') + part.slice(space + 1)
		if (part.slice(0, space) === '0') return text
		begun.set(sender, { text, number })
		return null
	}
}
