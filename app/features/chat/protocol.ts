/* What the server and members' tabs tell each other of conversations: by HTTP, and as events of the socket. */

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
	marks: Receipts
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

/** A picture of a message; its address answers to those who may read the message. */
export interface ChatPicture {
	path: string
	/** Pixels of the largest file. */
	width: number
	height: number
	/** What it shows, in the sender's words; '' when they said nothing. */
	alt: string
}

export interface ChatMessage {
	id: number
	/** The sender's own id of it: the same on every try. */
	clientId: string
	/** Username. */
	sender: string
	/** As typed, for editing and copying; '' when deleted. */
	body: string
	/** Rendered as in the forum; '' when deleted. */
	html: string
	/** At most four; none when deleted. */
	pictures: ChatPicture[]
	/** ISO 8601, the server's clock. */
	sentAt: string
	editedAt: string | null
	deleted: boolean
	/** The conversation's version with the last change of this message. */
	version: number
}

/** How far the peer has come, as ids of messages. */
export interface Receipts {
	/** The last one that the peer's device got. */
	delivered: number
	/** The last one that the peer has seen. */
	read: number
}

export interface ConversationState {
	/**
	 * `open`; `request`: a stranger wrote and I have not answered; `waiting`: I wrote first and was not answered;
	 * `closed`: nothing can be sent.
	 */
	kind: 'open' | 'request' | 'waiting' | 'closed'
	/** Why it is closed, in words; null when nothing is said about it. */
	reason: string | null
	blockedByMe: boolean
	muted: boolean
}

/**
 * What the sender of a message is answered. `retry`: the same may be sent again a little later; `retryAfter`: in so many whole
 * seconds, where a limit says so.
 */
export type SendAnswer =
	| { ok: true; message: ChatMessage }
	| { ok: false; message: string; retry: boolean; retryAfter?: number }

/** What the receiver has not read: messages of this conversation, and in how many conversations there are some. */
interface UnreadCounts {
	unread: number
	conversations: number
}

/** A message as it is sent. */
export interface ChatSending {
	/** Username. */
	to: string
	clientId: string
	body: string
	/** Pictures that were uploaded for it. */
	pictures?: Pick<ChatPicture, 'path' | 'alt'>[]
}

declare module '~/platform/realtime/events.ts' {
	/** `with` is the peer's username, as seen by who is told. */
	interface ServerEvents {
		/** A message was added, edited or deleted. */
		'chat:message': (event: UnreadCounts & { with: string; message: ChatMessage }) => void
		/** The peer's device got, or the peer saw, more. */
		'chat:marks': (event: { with: string; marks: Receipts }) => void
		/** This member read further, here or elsewhere. */
		'chat:read': (event: UnreadCounts & { with: string; readId: number }) => void
		/** This member read everything in these conversations, here or elsewhere. */
		'chat:all-read': (event: { with: string[]; conversations: number }) => void
		'chat:typing': (event: { from: string }) => void
		/** In how many conversations something is unread for this member: as the tab connects, and when that changes otherwise. */
		'chat:count': (event: { conversations: number }) => void
		'chat:state': (event: { with: string; state: ConversationState }) => void
	}

	interface ClientEvents {
		'chat:send': (message: ChatSending, answer: (answer: SendAnswer) => void) => void
		/** Everything up to this message arrived, or was seen. */
		'chat:seen': (mark: { with: string; upTo: number; read: boolean }) => void
		/** At most one in 3 s. */
		'chat:typing': (to: string) => void
	}
}
