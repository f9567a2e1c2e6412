import { z } from 'zod'
import type { ChatMessage } from '~/features/chat/chat.view.ts'
import type { MessagePosition } from '~/features/chat/messages/reading.server.ts'
import type { Peer } from '~/features/conversations/conversations.view.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '~/platform/http/cursors.ts'
import { messagePictureSize, portrait } from '~/platform/http/operation.ts'
import type { ConversationSummary, MessageHit } from '../inbox.view.ts'

export const messageId = z.coerce.number().int().min(1).max(2_147_483_647)
export const messageCursor = z
	.string()
	.max(400)
	.optional()
	.describe('Where another page ended: its `next` or `previous`.')

const time = z.string().meta({ format: 'date-time' })

const peer = z.object({
	username: z.string(),
	name: z.string(),
	image: portrait,
	online: z.boolean(),
	lastSeenAt: time.nullable().describe('Null when online, never seen, or hidden.'),
})

export const message = z.object({
	id: z.int().describe('Ascends in the order of the conversation.'),
	with: z.string().describe('Username of the other member.'),
	sender: z.string().describe('Username.'),
	clientId: z.string().describe('The id that the sender gave it.'),
	body: z.string().describe('Markdown; empty when deleted.'),
	html: z.string(),
	pictures: z
		.array(
			z.object({
				path: z
					.string()
					.describe(`Without the size: ${messagePictureSize}, for the two members when logged in on the site.`),
				width: z.int(),
				height: z.int(),
				alt: z.string().describe('What it shows, in the sender’s words.'),
			}),
		)
		.describe('Sent on the site; four at most.'),
	sentAt: time,
	editedAt: time.nullable(),
	deleted: z.boolean(),
	version: z.int().describe('Of the conversation, at the last change of this message.'),
})

const state = z.object({
	kind: z
		.enum(['open', 'request', 'waiting', 'closed'])
		.describe('`request`: it waits for your answer; `waiting`: for theirs; `closed`: you cannot write.'),
	reason: z.string().nullable().describe('Why it is closed, in words.'),
	reachable: z.boolean().describe('false if its member left, or it is the author of imported texts.'),
	blockedByMe: z.boolean(),
	muted: z.boolean(),
})

export const summary = z.object({
	peer,
	last: z
		.object({ sender: z.string(), excerpt: z.string(), sentAt: time, deleted: z.boolean() })
		.nullable()
		.describe('The newest message.'),
	unread: z.int(),
	muted: z.boolean(),
	request: z.boolean(),
})

export const conversation = z.object({
	peer,
	state,
	messages: z.array(message).describe('The newest 50, oldest first.'),
	older: z.boolean().describe('Whether there are more before them.'),
	conversationVersion: z.int().describe('What to ask `changes` for: nothing lies between this answer and that one.'),
	receipts: z.object({ delivered: z.int(), read: z.int() }).describe('How far the other member has come, as ids.'),
	readId: z.int().describe('How far you have read.'),
})

const next = z.string().nullable().describe('The cursor of the next page; null at the end.')
export const conversationList = z.object({ rows: z.array(summary), next })
export const messageList = z.object({
	rows: z.array(message).describe('Newest first.'),
	next: z.string().nullable().describe('The cursor of older ones; null at the beginning of the conversation.'),
	previous: z.string().nullable().describe('The cursor of newer ones; null at the newest.'),
})
export const changeList = z.object({
	rows: z.array(message).describe('In the order of changes; each message once, in its current state.'),
	conversationVersion: z.int().describe('What to ask with next.'),
	complete: z.boolean().describe('Whether that was all; if not, ask again at once.'),
})
const hit = z.object({
	id: z.int(),
	peer,
	sender: z.string().describe('Username.'),
	sentAt: time,
	passage: z
		.array(z.object({ text: z.string(), hit: z.boolean() }))
		.describe('The passage in pieces; `hit` marks what was looked for.'),
})
export const hitList = z.object({
	rows: z.array(hit),
	next,
	nearly: z.boolean().describe('Nothing matches exactly: these contain words with a similar spelling.'),
})

const body = z.string().describe('Markdown, 1 to 4,000 characters.')
export const newMessage = z.strictObject({
	body,
	clientId: z
		.uuid()
		.optional()
		.describe(
			'Your own id of the message, as an `Idempotency-Key` that is a UUID. Sent again with the same id, it is stored once.',
		),
})
export const changedMessage = z.strictObject({ body })
export const readUpTo = z.strictObject({ upTo: z.int().min(1).max(2_147_483_647).describe('Id of a message.') })
export const newReport = z.strictObject({ words: z.string().describe('What is wrong, for the moderators.') })

/** The schema names in the OpenAPI description. */
export const inboxShapes: Record<string, z.ZodType> = {
	ChatPeer: peer,
	Message: message,
	Conversation: conversation,
	ConversationSummary: summary,
	ConversationList: conversationList,
	MessageList: messageList,
	MessageChanges: changeList,
	FoundMessage: hit,
	FoundMessages: hitList,
	SendMessage: newMessage,
	EditMessage: changedMessage,
	ReadUpTo: readUpTo,
	ReportMessage: newReport,
}

/** A member with the API's field names. */
export function apiPeer({ picture, ...rest }: Peer) {
	return { ...rest, image: picture }
}

/** A message with the peer's username. */
export function apiMessage(message: ChatMessage, peerUsername: string) {
	return { ...message, with: peerUsername }
}

/** A conversation of a list, or a search result, with the API's field names. */
export function withPeer<Row extends ConversationSummary | MessageHit>(row: Row) {
	return { ...row, peer: apiPeer(row.peer) }
}

/** @throws Invalid for an invalid cursor */
export function positionOf(text: string): MessagePosition {
	const [side, at] = decodeCursor(text, 2)
	if (side === 'before') return { before: at }
	if (side === 'after') return { after: at }
	throw invalidCursor()
}

/** The cursor of the page before or after a message. */
export function cursorOf(side: 'before' | 'after', at: ChatMessage | undefined): string | null {
	return at ? encodeCursor([side, at.id]) : null
}
