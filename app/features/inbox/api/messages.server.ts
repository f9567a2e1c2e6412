import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { editInput } from '~/features/chat/chat.schema.ts'
import type { ChatMessage } from '~/features/chat/chat.view.ts'
import { deleteMessage, editMessage } from '~/features/chat/messages/changing.server.ts'
import { getMessage, listMessagesAt } from '~/features/chat/messages/reading.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { username } from '~/features/conversations/conversations.feature.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { decodeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { parseInput } from '~/platform/http/form.server.ts'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import { searchOwnMessages } from '../search/search.server.ts'
import {
	apiMessage,
	changedMessage,
	cursorOf,
	hitList,
	message,
	messageCursor,
	messageId,
	messageList,
	newMessage,
	positionOf,
	withPeer,
} from './shapes.server.ts'

const shared = { group: 'Messages', access: 'members', area: 'messages' } as const
const one = {
	...shared,
	path: '/me/conversations/{username}/messages/{id}',
	params: { username, id: messageId },
} as const

export const messageOperations = [
	operation({
		...shared,
		id: 'searchMessages',
		method: 'get',
		path: '/me/messages',
		summary: 'Search in your own messages, newest first',
		description:
			'As in the inbox: all of the words, the last one also as the beginning of a word. Accents are ignored, and typos are forgiven if nothing else matches.',
		query: { q: z.string().max(200).describe('The words.'), cursor: messageCursor },
		answer: hitList,
		refusals: [422],
		run: async (call) => {
			const { q, cursor } = call.query
			const [before = null] = cursor === undefined ? [] : decodeCursor(cursor, 1)
			await countUse('messageSearch', call.viewer)
			const { hits, next, nearly } = await searchOwnMessages(requireCaller(call), q, before)
			return { rows: hits.map(withPeer), next: next === null ? null : encodeCursor([next]), nearly }
		},
	}),
	operation({
		...shared,
		id: 'listMessages',
		method: 'get',
		path: '/me/conversations/{username}/messages',
		summary: 'Read a conversation, newest first, by pages in both directions',
		description: 'From its end; with `around` from any message on, however long ago.',
		params: { username },
		query: {
			cursor: messageCursor,
			around: messageId.optional().describe('Id of a message to show with the messages around it.'),
			limit: z.coerce.number().int().min(1).max(50).default(50).describe('How many rows at most.'),
		},
		answer: messageList,
		refusals: [404, 422],
		run: async (call) => {
			const { cursor, around, limit } = call.query
			const from = around === undefined ? end : { around }
			const at = cursor === undefined ? from : positionOf(cursor)
			const { messages, older, newer } = await listMessagesAt(requireCaller(call), call.params.username, at, limit)
			return {
				rows: messages.map((row) => apiMessage(row, call.params.username)).reverse(),
				next: older ? cursorOf('before', messages[0]) : null,
				previous: newer && at !== end ? cursorOf('after', messages.at(-1)) : null,
			}
		},
	}),
	operation({
		...shared,
		id: 'sendMessage',
		method: 'post',
		path: '/me/conversations/{username}/messages',
		summary: 'Send a message',
		description:
			'Answered once it is stored. The same `Idempotency-Key` or `clientId` is always the same message: sending it again returns the stored one.',
		repeatable: true,
		params: { username },
		body: newMessage,
		example: { body: 'Shall we meet at **three**?' },
		answer: message,
		status: 201,
		location: (made) => `/me/conversations/${(made as z.output<typeof message>).with}/messages/${made.id}`,
		refusals: [404, 409, 422],
		run: async (call) => {
			const sent = await sendOnce(requireCaller(call), { to: call.params.username, ...call.body, key: call.key })
			return apiMessage(sent, call.params.username)
		},
	}),
	operation({
		...one,
		id: 'getMessage',
		method: 'get',
		summary: 'Read one message',
		answer: message,
		refusals: [404],
		run: async (call) =>
			apiMessage(await getMessage(requireCaller(call), call.params.username, call.params.id), call.params.username),
	}),
	operation({
		...one,
		id: 'editMessage',
		method: 'patch',
		summary: 'Change a message of your own',
		body: changedMessage,
		example: { body: 'Shall we meet at **four**?' },
		answer: message,
		refusals: [404, 422],
		run: async (call) => {
			const which = { with: call.params.username, id: call.params.id }
			return apiMessage(await editMessage(requireCaller(call), which, call.body), call.params.username)
		},
	}),
	operation({
		...one,
		id: 'deleteMessage',
		method: 'delete',
		summary: 'Delete a message of your own, for both of you',
		description: 'Both of you will still see that a message was deleted.',
		answer: message,
		refusals: [404],
		run: async (call) => {
			const which = { with: call.params.username, id: call.params.id }
			return apiMessage(await deleteMessage(requireCaller(call), which), call.params.username)
		},
	}),
]

/** Before any possible id. */
const end = { before: 2 ** 31 - 1 }

interface Sending {
	to: string
	body?: unknown
	clientId?: unknown
	/** The `Idempotency-Key` header. */
	key: string | null
}

/**
 * Sends a message of an API client, identified by any idempotency key, or by an id as our own pages send it.
 * @throws Invalid also if the id belongs to a message with another text; whatever {@link sendMessage} throws
 */
async function sendOnce(viewer: SignedIn, { to, body, clientId, key }: Sending): Promise<ChatMessage> {
	const input = parseInput(editInput, { body })
	const message = await sendMessage(viewer, {
		to,
		body,
		clientId: key === null ? (clientId ?? randomUUID()) : idOf(key),
	})
	const untouched = message.editedAt === null && !message.deleted
	if (untouched && message.body !== input.body)
		throw new Invalid('Another message was sent with this key before. Send this one with a new key.')
	return message
}

/** Derives the message's id from an idempotency key; a UUID is used as it is. */
function idOf(key: string): string {
	if (!/^[\x21-\x7e]{1,100}$/.test(key)) throw new Invalid('An Idempotency-Key has 1 to 100 visible ASCII characters.')
	if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(key)) return key
	const hex = createHash('sha256').update(`Idempotency-Key: ${key}`).digest('hex')
	// A UUID of version 8, from arbitrary data (RFC 9562, 5.8).
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
