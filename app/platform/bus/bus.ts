import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** What brings texts from one process to the others. */
export interface Carrier {
	/** Bytes that one text may have. */
	longest: number
	/** Sends texts, in this order. @throws Error when it cannot be known that they were sent */
	send: (channel: string, texts: string[]) => Promise<void>
	/**
	 * Listens to a channel.
	 * @param onEnd called once when the connection is lost
	 * @returns what ends it, without a call of `onEnd`
	 */
	listen: (channel: string, hear: (text: string) => void, onEnd: () => void) => Promise<() => Promise<void>>
}

export interface Listener {
	onMessage: (message: string) => void
	/** The connection is gone, or somebody could not send: messages may be missed from now on. */
	onLost: () => void
	/** It is there again; what was said meanwhile was missed. */
	onBack: () => void
}

/** What a channel has still to send. */
interface Line {
	waiting: string[]
	/** The sending that is under way; it never rejects. */
	now: Promise<void>
	/** The one after it, which takes everything that waits. */
	next?: Promise<void>
	/** Whether others missed something that could not be sent, and were not told so yet. */
	owes: boolean
}

/** Milliseconds between two tries to listen or to send again. */
const pause = 500
/** More texts than these wait for nobody: a carrier that hangs would fill the memory. */
const MAX_WAITING = 20_000
/** Said in the place of what could not be sent. */
const missed = '?'

/**
 * How the processes of a site talk. What is said is heard by every other process that listens, at most once, and in the order
 * in which one process said it. Who listens is told when something may have been missed.
 */
export class Bus {
	readonly #carrier: Carrier
	/** What is sent begins with this, so that a process does not hear itself. */
	readonly #self = randomUUID()
	#said = 0
	readonly #lines = new Map<string, Line>()

	constructor(carrier: Carrier) {
		this.#carrier = carrier
	}

	/**
	 * Tells everybody else who listens on this channel. What is said while a sending is under way is sent together after it.
	 * @returns when it is on its way
	 * @throws Error when it could not be sent; those who listen are told that they missed something once that is possible
	 */
	publish(channel: string, message: string): Promise<void> {
		const line = this.#lineOf(channel)
		if (line.waiting.length >= MAX_WAITING) return Promise.reject(new Error('Too much waits for the bus already.'))
		line.waiting.push(...partsOf(message, this.#carrier.longest).map((part) => this.#sign(part)))
		line.next ??= line.now.then(() => this.#flush(channel, line))
		return line.next
	}

	/**
	 * Listens on a channel, and again whenever the connection is lost.
	 * @returns what stops listening
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
				await sleep(pause, undefined, { ref: false })
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

	/** Of equal notifications in one transaction PostgreSQL passes on the first alone: a number makes each unlike the others. */
	#sign(part: string): string {
		this.#said += 1
		return `${this.#self}${this.#said.toString(36)} ${part}`
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
		const message = join(sender, part)
		if (message !== null) listener.onMessage(message)
	}

	#lineOf(channel: string): Line {
		const line = this.#lines.get(channel) ?? { waiting: [], now: Promise.resolve(), owes: false }
		this.#lines.set(channel, line)
		return line
	}

	async #flush(channel: string, line: Line): Promise<void> {
		const texts = line.waiting
		line.waiting = []
		line.next = undefined
		const sent = this.#carrier.send(channel, texts)
		line.now = sent.catch(() => {})
		try {
			await sent
		} catch (error) {
			void this.#owe(channel, line)
			throw error
		}
	}

	/** Tells the others that they missed something, as soon as anything can be told again. */
	async #owe(channel: string, line: Line): Promise<void> {
		if (line.owes) return
		line.owes = true
		while (line.owes) {
			await sleep(pause, undefined, { ref: false })
			await this.#carrier.send(channel, [this.#sign(missed)]).then(
				() => {
					line.owes = false
				},
				() => {},
			)
		}
	}
}

/** Bytes that are kept free for who sends a part and its number, and for how many parts follow. */
const head = 64

/**
 * Cuts a message into parts that a carrier takes.
 * @param longest bytes that a part may have together with what stands before it
 */
export function partsOf(message: string, longest: number): string[] {
	if (Buffer.byteLength(message) + head <= longest) return [`0 ${message}`]
	// UTF-8 needs at most three bytes for what counts as one in a string, and four for a pair.
	const size = Math.floor((longest - head) / 3)
	const pieces: string[] = []
	for (let from = 0; from < message.length; ) {
		const end = from + size
		// Half of a pair would become a question mark on its way.
		const to = /[\ud800-\udbff]/.test(message[end - 1] ?? '') ? end - 1 : end
		pieces.push(message.slice(from, to))
		from = to
	}
	return pieces.map((piece, index) => `${pieces.length - 1 - index} ${piece}`)
}

/** Puts parts together again. @returns what takes a part of a sender and gives the message when it was the last, else null */
export function joinParts(): (sender: string, part: string) => string | null {
	const begun = new Map<string, string>()
	return (sender, part) => {
		const space = part.indexOf(' ')
		const text = (begun.get(sender) ?? '') + part.slice(space + 1)
		if (part.slice(0, space) === '0') {
			begun.delete(sender)
			return text
		}
		begun.set(sender, text)
		return null
	}
}
