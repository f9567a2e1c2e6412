import type { ChatMessage, ConversationPage } from '../protocol.ts'

/** What `since` answers: changes in the order of their versions, and how the two members stand. */
export interface Changes extends Pick<ConversationPage, 'marks' | 'state'> {
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
export class Thread {
	/** Every change up to here is known. */
	version = 0
	/** Whether there are messages before the first one shown. */
	older = false
	/** What is kept below this id was changed meanwhile and waits until its page is loaded. */
	private first = 0
	private readonly byId = new Map<number, ChatMessage>()
	private shown: readonly ChatMessage[] | null = null

	/**
	 * Takes the newest page. What was loaded before stays when the two meet; when this tab was away for longer than a page,
	 * it begins anew, so that there is no hole in the middle.
	 */
	open(page: Pick<ConversationPage, 'messages' | 'older' | 'version'>): void {
		const meets = !page.older || page.messages.some(({ id }) => this.byId.has(id) && id >= this.first)
		if (this.version === 0 || !meets) {
			this.byId.clear()
			this.version = page.version
			this.older = page.older
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

	/** Puts a page before the first message. */
	prepend({ messages, older }: OlderPage): void {
		for (const message of messages) this.take(message)
		this.older = older
		this.first = older ? (messages[0]?.id ?? this.first) : 0
		this.shown = null
	}

	/** In the order of the conversation. The same array until something changes. */
	list(): readonly ChatMessage[] {
		this.shown ??= [...this.byId.values()].filter(({ id }) => id >= this.first).sort((one, other) => one.id - other.id)
		return this.shown
	}

	private take(message: ChatMessage): void {
		const known = this.byId.get(message.id)
		if (known && known.version >= message.version) return
		this.byId.set(message.id, message)
		this.shown = null
	}
}
