import type { Peer } from '~/features/conversations/conversations.view.ts'

export interface ConversationSummary {
	peer: Peer
	last: { sender: string; excerpt: string; sentAt: string; deleted: boolean } | null
	unread: number
	muted: boolean
	request: boolean
}

/** A search result. */
export interface MessageHit {
	id: number
	peer: Peer
	/** Username. */
	sender: string
	sentAt: string
	/** The matching passage in pieces; `hit` marks those that match. */
	passage: { text: string; hit: boolean }[]
}

/** A page of search results. */
export interface FoundMessages {
	hits: MessageHit[]
	/** The value of `before` for the next page; null on the last one. */
	next: number | null
	/** Whether nothing matched exactly, so that these contain similar words. */
	nearly: boolean
}

/** Page sizes and limits. */
export const inboxLimits = {
	/** Conversations in the list, and in the panel of the header. */
	page: 30,
	latest: 10,
	/** Results per page of a search. */
	hits: 30,
	/** Maximum characters of a search; the rest is ignored. */
	search: 200,
} as const
