import type { ChatMessage, ConversationPage, MessageWindow } from '../chat.view.ts'

/** What `since` answers: changes in the order of their versions, and how the two members stand. */
export interface Changes extends Pick<ConversationPage, 'receipts' | 'state'> {
	messages: ChatMessage[]
	/** The conversation's version when it was asked. */
	version: number
	/** Whether these are all changes up to that version. */
	complete: boolean
}

/** A page of messages before those that are shown. */
export interface OlderPage {
	messages: ChatMessage[]
	older: boolean
}

/**
 * The messages of one conversation as this tab knows them, whatever way and in whatever order it heard of them. The newest
 * change of a message wins, and `version` says up to where nothing is missing.
 */
export class MessageHistory {
	/** Every change up to here is known. */
	version = 0
	/** Whether there are messages before the first of those that reach to the end. */
	private before = false
	/** Messages below this id were changed meanwhile and are shown once their page is loaded. */
	private first = 0
	/** What is shown in place of the end: the messages between two, all of which are known. */
	private part: { from: number; to: number; older: boolean; newer: boolean } | null = null
	private readonly byId = new Map<number, ChatMessage>()
	private shown: readonly ChatMessage[] | null = null
	private newest: readonly ChatMessage[] | null = null

	/**
	 * Takes the newest page. What was loaded before stays when the two meet; when this tab was away for longer than a page,
	 * it begins anew, so that there is no hole in the middle.
	 */
	open(page: Pick<ConversationPage, 'messages' | 'older' | 'version'>): void {
		const meets = !page.older || page.messages.some(({ id }) => this.byId.has(id) && id >= this.first)
		if (this.version === 0 || !meets) {
			this.byId.clear()
			// What was changed meanwhile in a part of long ago is not known either.
			this.part = null
			this.version = page.version
			this.before = page.older
			this.first = page.older ? (page.messages[0]?.id ?? 0) : 0
		}
		for (const message of page.messages) this.take(message)
	}

	/**
	 * Takes what the live stream or an acknowledgement says.
	 * @param own whether this member sent it: it is on the screen already, and takes that place at once
	 * @returns `gap` when changes before it are missing and must be asked for
	 */
	hear(message: ChatMessage, own: boolean): 'applied' | 'known' | 'gap' {
		if (message.version <= this.version) return 'known'
		const next = message.version === this.version + 1
		if (next || own) this.take(message)
		if (next) this.version = message.version
		return next ? 'applied' : 'gap'
	}

	/** Takes the changes after the version that was asked with. */
	catchUp({ messages, version, complete }: Pick<Changes, 'messages' | 'version' | 'complete'>): void {
		for (const message of messages) this.take(message)
		const reached = complete ? version : (messages.at(-1)?.version ?? this.version)
		this.version = Math.max(this.version, reached)
	}

	/** Puts a page before the first message that is shown. */
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

	/** Shows a part of the conversation in place of its end, until the two meet or it is left. */
	show({ messages, older, newer }: MessageWindow): void {
		const [first, last] = [messages[0], messages.at(-1)]
		if (!first || !last) return
		for (const message of messages) this.take(message)
		this.part = { from: first.id, to: last.id, older, newer }
		this.meet()
	}

	/** Puts a page after the last message of the part that is shown. */
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

	/** What is shown, in the order of the conversation. The same array until something changes. */
	list(): readonly ChatMessage[] {
		const { part } = this
		this.shown ??= part ? this.between(part.from, part.to) : this.latest()
		return this.shown
	}

	/** The messages up to the end that are known, shown or not. The same array until something changes. */
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

	/** A part that reaches what is known up to the end is live from then on. */
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
