/** What was seen of a conversation: everything up to a message was delivered, or read. */
interface SeenEvent {
	/** Username of the peer. */
	with: string
	/** Id of the message. */
	upTo: number
	read: boolean
}

/** Minimum milliseconds between two receipts for a conversation, so that a burst of messages needs one. */
const SEEN_INTERVAL_MS = 1_000

/** Reports delivered and read messages: at once, then once a second while more arrive. */
export class SeenReporter {
	private readonly send: (event: SeenEvent, leaving: boolean) => void
	private readonly sent = new Map<string, SeenEvent>()
	private readonly waiting = new Map<string, SeenEvent>()
	private readonly resting = new Set<string>()

	constructor(send: (event: SeenEvent, leaving: boolean) => void) {
		this.send = send
	}

	/** @param event about a message of the peer; a redundant one is not sent */
	note(event: SeenEvent): void {
		const known = this.waiting.get(event.with) ?? this.sent.get(event.with)
		if (known && known.upTo >= event.upTo && (known.read || !event.read)) return
		// A read receipt is sent on its own: a later message may only have been delivered.
		const waiting = this.waiting.get(event.with)
		if (waiting && (waiting.upTo > event.upTo || (waiting.read && !event.read))) this.flush(event.with)
		this.waiting.set(event.with, event)
		if (!this.resting.has(event.with)) this.flush(event.with)
	}

	/** Earlier reports may have been lost with the connection. */
	forget(): void {
		this.sent.clear()
	}

	/** Sends delayed reports at once. */
	leave(): void {
		for (const peer of [...this.waiting.keys()]) this.flush(peer, true)
	}

	private flush(peer: string, leaving = false): void {
		const event = this.waiting.get(peer)
		if (!event) return
		this.waiting.delete(peer)
		this.sent.set(peer, event)
		this.send(event, leaving)
		this.resting.add(peer)
		setTimeout(() => {
			this.resting.delete(peer)
			this.flush(peer)
		}, SEEN_INTERVAL_MS)
	}
}
