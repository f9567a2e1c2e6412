import { z } from 'zod'
import { decodeCursor, encodeCursor } from '~/platform/http/cursors.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { listConversations } from '../inbox/inbox.server.ts'
import { listSince, openConversation } from '../messages/reading.server.ts'
import {
	changeList,
	conversation,
	conversationList,
	cursor,
	toldMessage,
	toldPeer,
	username,
	withPeer,
} from './shapes.server.ts'

const group = 'Messages'

export const conversationOperations = [
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
			cursor,
		},
		answer: conversationList,
		refusals: [422],
		run: async (call) => {
			const { show, cursor: place } = call.query
			const [before = null] = place === undefined ? [] : decodeCursor(place, 1)
			const list = await listConversations(member(call), { before, requests: show === 'requests' })
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
			const { peer, messages, version, ...page } = await openConversation(member(call), call.params.username)
			return {
				...page,
				peer: toldPeer(peer),
				messages: messages.map((one) => toldMessage(one, peer.username)),
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
			const { messages, version, complete } = await listSince(member(call), call.params.username, call.query.since)
			return {
				rows: messages.map((one) => toldMessage(one, call.params.username)),
				conversationVersion: version,
				complete,
			}
		},
	}),
]
