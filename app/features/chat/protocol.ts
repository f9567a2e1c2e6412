import type { ChatMessage, ConversationState, Marks } from './chat.events.ts'

export type {
	ChatMessage,
	ChatPicture,
	ChatSending,
	ConversationState,
	Marks,
	SendAnswer,
} from './chat.events.ts'

/** The other member of a conversation. */
export interface Peer {
	username: string
	name: string
	picture: string | null
	online: boolean
	/** ISO 8601; null when online, never seen, or hidden. */
	lastSeenAt: string | null
}

/** A conversation as it is opened. */
export interface ConversationPage {
	peer: Peer
	state: ConversationState
	/** The newest 50, ascending. */
	messages: ChatMessage[]
	/** Whether there are older ones. */
	older: boolean
	version: number
	/** Of the peer. */
	marks: Marks
	/** How far the viewer had read when it was loaded: for the "new messages" line. */
	readId: number
	/** Skills that both have, while nobody has written; what to begin with. */
	common: string[]
}

/** A part of a conversation that need not be its end. */
export interface MessageWindow {
	/** Ascending. */
	messages: ChatMessage[]
	/** Whether there are more before and after them. */
	older: boolean
	newer: boolean
}

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
