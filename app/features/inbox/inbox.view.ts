import type { Peer } from '~/features/conversations/conversations.view.ts'

/** A conversation in a list. */
export interface ConversationSummary {
	peer: Peer
	last: { sender: string; excerpt: string; sentAt: string; deleted: boolean } | null
	unread: number
	muted: boolean
	request: boolean
}

/** A message that a search found. */
export interface MessageHit {
	id: number
	peer: Peer
	/** Username. */
	sender: string
	sentAt: string
	/** The passage that matches, in pieces; `hit` ones are the words that were looked for. */
	passage: { text: string; hit: boolean }[]
}

/** A page of what a search found. */
export interface FoundMessages {
	hits: MessageHit[]
	/** What to ask for as `before` to get older ones; null when there are none. */
	next: number | null
	/** Nothing holds the words as they were typed: these hold words that are spelled nearly so. */
	nearly: boolean
}

/** What one page of the inbox holds. */
export const inboxLimits = {
	/** Conversations in the list, and in the panel of the header. */
	page: 30,
	latest: 10,
	/** Messages in one page of a search. */
	hits: 30,
	/** Characters of a search that are read. */
	search: 200,
} as const
