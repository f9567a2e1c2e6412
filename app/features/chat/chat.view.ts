import type { ChatPicture, PictureReference } from '~/features/chat-pictures/chat-pictures.view.ts'
import type { ConversationState } from '~/features/conversations/conversations.policy.ts'
import type { Peer, Receipts, StrangerView, UsernamesById } from '~/features/conversations/conversations.view.ts'
import { isBlank } from '~/lib/clean.ts'
import type { Counted } from '~/platform/realtime/events.ts'
import type { MessageRow } from './messages/messages.queries.server.ts'

/** Limits of the chat, apart from the schema so that the browser can use them without zod. */
export const chatLimits = {
	/** Characters of a message. */
	messageMax: 4_000,
	/** Messages in one page of a conversation. */
	page: 50,
	/** Changes in one catch-up response. */
	changes: 200,
	/** Messages before a reported one that moderators see with it. */
	context: 5,
	/** Messages that a member may send in this many seconds: faster than anybody types, slower than a script would like. */
	burst: { messages: 30, seconds: 10 },
} as const

/* What the server and members' tabs exchange about messages, by HTTP and as socket events. */

/** A conversation as it is opened. */
export interface ConversationPage {
	peer: Peer
	state: ConversationState
	/** The newest 50, ascending. */
	messages: ChatMessage[]
	/** Whether there are older messages. */
	older: boolean
	version: number
	/** Of the peer. */
	receipts: Receipts
	/** The last message that the viewer had read when this was loaded: for the "new messages" divider. */
	readId: number
	/** Skills that both members have; only before the first message, and for a stranger. */
	common: string[]
	/** The stranger who sent a request that the viewer has not answered; null otherwise. */
	stranger: StrangerView | null
}

/** A range of a conversation that may end before its newest message. */
export interface MessageWindow {
	/** Ascending. */
	messages: ChatMessage[]
	/** Whether there are messages before and after the range. */
	older: boolean
	newer: boolean
}

export interface ChatMessage {
	id: number
	/** The sender's id of the message, the same on every try. */
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
	/** The conversation version of the last change of this message. */
	version: number
}

/**
 * The answer to the sender of a message. `retry`: the same message may be sent again later; `retryAfter`: after this many whole
 * seconds, where a limit says so.
 */
export type SendResult =
	| { ok: true; message: ChatMessage }
	| { ok: false; message: string; retry: boolean; retryAfter?: number }

/** Unread messages of this conversation, and the number of conversations with unread messages. */
interface UnreadCounts extends Counted {
	unread: number
	conversations: number
}

/** A message to be sent. */
export interface SendPayload {
	/** Username. */
	to: string
	clientId: string
	body: string
	/** Pictures that were uploaded for it. */
	pictures?: PictureReference[]
}

declare module '~/platform/realtime/events.ts' {
	/** `with` is the peer's username, from the receiver's point of view. */
	interface ServerEvents {
		/** A message was added, edited or deleted. */
		'chat:message': (event: UnreadCounts & { with: string; message: ChatMessage }) => void
		/** This member read further, on any device. */
		'chat:read': (event: UnreadCounts & { with: string; readId: number }) => void
		/** This member read everything in these conversations, on any device. */
		'chat:all-read': (event: Counted & { with: string[]; conversations: number }) => void
		'chat:typing': (event: { from: string }) => void
	}

	interface ClientEvents {
		'chat:send': (message: SendPayload, answer: (answer: SendResult) => void) => void
		/** Everything up to this message was delivered, or read. */
		'chat:seen': (event: { with: string; upTo: number; read: boolean }) => void
		/** At most one in 3 s. */
		'chat:typing': (to: string) => void
	}
}

/**
 * The text of a message without blank lines before it and white space after it; '' where it shows nothing. Leading spaces stay, as they may
 * indent code.
 */
export function trimmedMessage(text: string): string {
	return isBlank(text) ? '' : text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
}

/** A message as one member sees it. */
export function presentMessage(row: MessageRow, readerId: number, names: UsernamesById): ChatMessage {
	const isUnchanged = row.recipient_body !== null && row.sender_id !== readerId
	return {
		id: row.id,
		clientId: row.client_id,
		sender: names.get(row.sender_id) ?? '',
		body: isUnchanged ? (row.recipient_body ?? '') : row.body,
		html: isUnchanged ? (row.recipient_html ?? '') : row.html,
		pictures: row.pictures ?? [],
		sentAt: row.sent_at.toISOString(),
		editedAt: isUnchanged || row.deleted_at ? null : (row.edited_at?.toISOString() ?? null),
		deleted: row.deleted_at !== null,
		version: row.version,
	}
}

/** A page of messages. @param rows newest first, one more than the page if there are older ones */
export function presentPage(rows: MessageRow[], readerId: number, names: UsernamesById) {
	const shown = rows.slice(0, chatLimits.page).reverse()
	return {
		messages: shown.map((row) => presentMessage(row, readerId, names)),
		older: rows.length > chatLimits.page,
	}
}

/** A message as plain text, for lists, notifications and mail: its text, or else the descriptions of its pictures. */
export function textOfMessage({ body, pictures }: Pick<ChatMessage, 'body' | 'pictures'>): string {
	if (body.trim() !== '' || pictures.length === 0) return body
	const shown = pictures.map(({ alt }) => alt).filter((alt) => alt !== '')
	if (shown.length > 0) return shown.join(', ')
	return pictures.length === 1 ? 'Picture' : `${pictures.length} pictures`
}
