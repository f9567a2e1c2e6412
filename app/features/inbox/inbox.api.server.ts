import { z } from 'zod'
import { getMessage, listChangesSince, markSeen, openConversation } from '~/features/chat/messages/reading.server.ts'
import { reportMessage } from '~/features/chat/messages/reporting.server.ts'
import { username } from '~/features/conversations/conversations.feature.server.ts'
import { decodeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { type Operation, operation, requireCaller } from '~/platform/http/operation.ts'
import { messageOperations } from './api/messages.server.ts'
import {
	apiMessage,
	apiPeer,
	changeList,
	conversation,
	conversationList,
	messageCursor,
	messageId,
	newReport,
	readUpTo,
	withPeer,
} from './api/shapes.server.ts'
import { listConversations } from './inbox.server.ts'

const group = 'Messages'

const conversationOperations = [
	operation({
		id: 'listConversations',
		group,
		method: 'get',
		path: '/me/conversations',
		summary: 'List your conversations, the one with the newest message first',
		access: 'members',
		area: 'messages',
		query: {
			show: z.enum(['open', 'requests']).default('open').describe('Requests are conversations that strangers started.'),
			cursor: messageCursor,
		},
		answer: conversationList,
		refusals: [422],
		run: async (call) => {
			const { show, cursor } = call.query
			const [before = null] = cursor === undefined ? [] : decodeCursor(cursor, 1)
			const list = await listConversations(requireCaller(call), { before, requests: show === 'requests' })
			return {
				rows: list.conversations.map(withPeer),
				next: list.next === null ? null : encodeCursor([list.next]),
			}
		},
	}),
	operation({
		id: 'getConversation',
		group,
		method: 'get',
		path: '/me/conversations/{username}',
		summary: 'Open the conversation with a member, even before its first message',
		access: 'members',
		area: 'messages',
		params: { username },
		answer: conversation,
		refusals: [404],
		run: async (call) => {
			const { peer, messages, version, ...page } = await openConversation(requireCaller(call), call.params.username)
			return {
				...page,
				peer: apiPeer(peer),
				messages: messages.map((one) => apiMessage(one, peer.username)),
				conversationVersion: version,
			}
		},
	}),
	operation({
		id: 'listMessageChanges',
		group,
		method: 'get',
		path: '/me/conversations/{username}/changes',
		summary: 'Read what was added, edited or deleted in a conversation since a version',
		description: 'Complete and in order. 0 is the beginning.',
		access: 'members',
		area: 'messages',
		params: { username },
		query: { since: z.coerce.number().int().min(0).max(2_147_483_647).describe('The version that you know.') },
		answer: changeList,
		refusals: [404, 422],
		run: async (call) => {
			const { messages, version, complete } = await listChangesSince(
				requireCaller(call),
				call.params.username,
				call.query.since,
			)
			return {
				rows: messages.map((one) => apiMessage(one, call.params.username)),
				conversationVersion: version,
				complete,
			}
		},
	}),
]

const shared = {
	group: 'Messages',
	access: 'members',
	area: 'messages',
	params: { username },
	answer: null,
	refusals: [404],
} as const satisfies object

const readingOperations = [
	operation({
		...shared,
		id: 'readConversation',
		method: 'put',
		path: '/me/conversations/{username}/read',
		summary: 'Mark a conversation as read up to a message',
		description: 'Never backwards, and no further than the newest message you received.',
		body: readUpTo,
		example: { upTo: 1 },
		refusals: [404, 422],
		run: async (call) => {
			const { upTo } = call.body
			await getMessage(requireCaller(call), call.params.username, upTo)
			await markSeen(call.viewer, { with: call.params.username, upTo, read: true })
		},
	}),
	operation({
		...shared,
		id: 'reportMessage',
		method: 'post',
		path: '/me/conversations/{username}/messages/{id}/reports',
		summary: 'Report a message that you received to the moderators',
		description: 'They see this message and the five before it, but nothing else of the conversation.',
		params: { username, id: messageId },
		body: newReport,
		example: { words: 'This is an insult.' },
		refusals: [404, 409, 422],
		run: (call) => {
			const { username: peer, id: messageId } = call.params
			return reportMessage(requireCaller(call), { with: peer, id: messageId }, call.body)
		},
	}),
]

/** The API of a member's messages, with the use cases of the pages and the socket. */
export const inboxOperations: Operation[] = [...conversationOperations, ...messageOperations, ...readingOperations]
