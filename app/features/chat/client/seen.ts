import type { Transport } from './transport.ts'

type Mark = Parameters<Transport['seen']>[0]

/** How often the marks of a conversation are told at most, in milliseconds: a burst of messages is one mark. */
const every = 1_000

/** Tells the server what arrived here and what was read: at once, and then once a second while more comes. */
export class SeenMarks {
	private readonly tell: (mark: Mark) => void
	private readonly told = new Map<string, Mark>()
	private readonly waiting = new Map<string, Mark>()
	private readonly resting = new Set<string>()

	constructor(tell: (mark: Mark) => void) {
		this.tell = tell
	}

	/** @param mark of a message of the peer; one that says nothing new is not told */
	note(mark: Mark): void {
		const known = this.waiting.get(mark.with) ?? this.told.get(mark.with)
		if (known && known.upTo >= mark.upTo && (known.read || !mark.read)) return
		this.waiting.set(mark.with, { ...mark, read: mark.read || (this.waiting.get(mark.with)?.read ?? false) })
		if (!this.resting.has(mark.with)) this.flush(mark.with)
	}

	/** What was told may have been lost with the connection. */
	forget(): void {
		this.told.clear()
	}

	private flush(peer: string): void {
		const mark = this.waiting.get(peer)
		if (!mark) return
		this.waiting.delete(peer)
		this.told.set(peer, mark)
		this.tell(mark)
		this.resting.add(peer)
		setTimeout(() => {
			this.resting.delete(peer)
			this.flush(peer)
		}, every)
	}
}
