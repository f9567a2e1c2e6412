import type { ChatMessage, ConversationPage, MessageWindow } from '../chat.view.ts'

/** The response to `since`: changes in the order of versions, and the state between the two members. */
export interface ConversationChanges extends Pick<ConversationPage, 'receipts' | 'state'> {
	messages: ChatMessage[]
	/** The conversation version at the time of the request. */
	version: number
	/** Whether these are all changes up to that version. */
	complete: boolean
	/** The present username of the peer; undefined from a process of an earlier version. */
	peer?: string
}

/** A page of messages before those that are shown. */
export interface OlderPage {
	messages: ChatMessage[]
	older: boolean
}

/**
 * The messages of one conversation that this tab knows, from any source and in any order. The newest change of a message wins.
 * `version` says up to where nothing is missing.
 */
export class MessageHistory {
	/** All changes up to this version are known. */
	version = 0
	/** Whether there are messages before the first of the contiguous newest ones. */
	private before = false
	/** Messages below this id were changed meanwhile; they are shown once their page is loaded. */
	private first = 0
	/** Shown instead of the end: a range of messages, all of which are known. */
	private part: { from: number; to: number; older: boolean; newer: boolean } | null = null
	private readonly byId = new Map<number, ChatMessage>()
	private shown: readonly ChatMessage[] | null = null
	private newest: readonly ChatMessage[] | null = null

	/**
	 * Takes the newest page. Messages loaded before stay if both overlap; after an absence of more than a page, the list starts over,
	 * so that there is no gap.
	 */
	open(page: Pick<ConversationPage, 'messages' | 'older' | 'version'>): void {
		const meets = !page.older || page.messages.some(({ id }) => this.byId.has(id) && id >= this.first)
		if (this.version === 0 || !meets) {
			this.byId.clear()
			// Changes to an older part are unknown as well.
			this.part = null
			this.version = page.version
			this.before = page.older
			this.first = page.older ? (page.messages[0]?.id ?? 0) : 0
		}
		for (const message of page.messages) this.take(message)
	}

	/** Makes the next page replace everything. */
	forgetAll(): void {
		this.version = 0
	}

	/**
	 * Takes a message of a live event or an acknowledgement.
	 * @param own whether this member sent it: it is on the screen already, and keeps its position
	 * @returns `gap` when earlier changes are missing and must be requested
	 */
	receive(message: ChatMessage, own: boolean): 'applied' | 'known' | 'gap' {
		if (message.version <= this.version) return 'known'
		const next = message.version === this.version + 1
		if (next || own) this.take(message)
		if (next) this.version = message.version
		return next ? 'applied' : 'gap'
	}

	/** Takes the changes after the requested version. */
	catchUp({ messages, version, complete }: Pick<ConversationChanges, 'messages' | 'version' | 'complete'>): void {
		for (const message of messages) this.take(message)
		const reached = complete ? version : (messages.at(-1)?.version ?? this.version)
		this.version = Math.max(this.version, reached)
	}

	/** Adds a page before the first message that is shown. */
	prepend({ messages, older }: OlderPage): void {
		for (const message of messages) this.take(message)
		const first = messages[0]?.id
		if (this.part) {
			this.part = { ...this.part, from: first ?? this.part.from, older }
		} else {
			this.before = older
			this.first = older ? (first ?? this.first) : 0
		}
		this.forget()
	}

	/** Shows an older part instead of the end, until it reaches the newest messages or is left. */
	show({ messages, older, newer }: MessageWindow): void {
		const [first, last] = [messages[0], messages.at(-1)]
		if (!first || !last) return
		for (const message of messages) this.take(message)
		this.part = { from: first.id, to: last.id, older, newer }
		this.meet()
	}

	/** Adds a page after the last message of the part that is shown. */
	append({ messages, newer }: MessageWindow): void {
		if (!this.part) return
		for (const message of messages) this.take(message)
		this.part = { ...this.part, to: messages.at(-1)?.id ?? this.part.to, newer }
		this.meet()
	}

	/** Shows the end again. */
	leave(): void {
		this.part = null
		this.forget()
	}

	/** The messages that are shown, in order. The array changes its identity only when something changes. */
	list(): readonly ChatMessage[] {
		const { part } = this
		this.shown ??= part ? this.between(part.from, part.to) : this.latest()
		return this.shown
	}

	/** The contiguous newest messages, shown or not. The array changes its identity only when something changes. */
	latest(): readonly ChatMessage[] {
		this.newest ??= this.between(this.first, Number.POSITIVE_INFINITY)
		return this.newest
	}

	/** Whether there are messages before those that are shown. */
	get older(): boolean {
		return this.part?.older ?? this.before
	}

	/** Whether there are messages after those that are shown. */
	get newer(): boolean {
		return this.part !== null
	}

	/** A part that reaches the contiguous newest messages becomes live. */
	private meet(): void {
		const { part } = this
		this.forget()
		if (!part || (part.newer && part.to < this.first)) return
		if (part.from < this.first) {
			this.first = part.older ? part.from : 0
			this.before = part.older
		}
		this.part = null
	}

	private between(from: number, to: number): ChatMessage[] {
		return [...this.byId.values()].filter(({ id }) => id >= from && id <= to).sort((one, other) => one.id - other.id)
	}

	private forget(): void {
		this.shown = null
		this.newest = null
	}

	private take(message: ChatMessage): void {
		const known = this.byId.get(message.id)
		if (known && known.version >= message.version) return
		this.byId.set(message.id, message)
		this.forget()
	}
}
