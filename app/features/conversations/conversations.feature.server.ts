import { z } from 'zod'
import { listBlocked } from '~/features/members/blocks.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { operation, portrait, requireCaller } from '~/platform/http/operation.ts'
import { keepCount, type Tab } from '~/platform/realtime/io.server.ts'
import {
	archivedConversations,
	archivedMessages,
	countConversationsWithUnread,
	findNewestTime,
} from './conversations.queries.server.ts'
import { acceptConversation, setBlocked, setMuted } from './conversations.server.ts'
import { transferConversations } from './leaving.queries.server.ts'
import { mergeConversations } from './merging.queries.server.ts'

/** The parameter of an address that names a conversation. */
export const username = z.string().max(64).describe('Of the other member.')

const blockedList = z.object({
	rows: z
		.array(
			z.object({
				username: z.string(),
				name: z.string(),
				image: portrait,
				since: z.string().meta({ format: 'date-time' }),
			}),
		)
		.describe('At most 500.'),
})

/** The schema names in the OpenAPI description. */
const conversationShapes: Record<string, z.ZodType> = { BlockedList: blockedList }

const shared = {
	group: 'Messages',
	access: 'members',
	area: 'messages',
	params: { username },
	answer: null,
	refusals: [404],
} as const satisfies object

/** Operations that change a conversation's settings and blocks. */
const conversationOperations = [
	operation({
		...shared,
		id: 'acceptConversation',
		method: 'put',
		path: '/me/conversations/{username}/accepted',
		summary: 'Accept a stranger’s request without writing',
		run: (call) => acceptConversation(requireCaller(call), call.params.username),
	}),
	operation({
		...shared,
		id: 'muteConversation',
		method: 'put',
		path: '/me/conversations/{username}/muted',
		summary: 'Mute a conversation: no sound, no email, no unread count',
		run: (call) => setMuted(requireCaller(call), call.params.username, true),
	}),
	operation({
		...shared,
		id: 'unmuteConversation',
		method: 'delete',
		path: '/me/conversations/{username}/muted',
		summary: 'Unmute a conversation',
		run: (call) => setMuted(requireCaller(call), call.params.username, false),
	}),
	operation({
		group: 'Messages',
		access: 'members',
		area: 'messages',
		id: 'listBlocked',
		method: 'get',
		path: '/me/blocks',
		summary: 'List the members you block, latest first',
		answer: blockedList,
		run: async (call) => ({ rows: await listBlocked(requireCaller(call)) }),
	}),
	operation({
		...shared,
		id: 'blockMember',
		method: 'put',
		path: '/me/blocks/{username}',
		summary: 'Block a member',
		description:
			'They are not told. From then on their messages do not reach you, and they cannot comment on or vote for what you wrote, or see when you are online.',
		refusals: [404, 422],
		run: (call) => setBlocked(requireCaller(call), call.params.username, true),
	}),
	operation({
		...shared,
		id: 'unblockMember',
		method: 'delete',
		path: '/me/blocks/{username}',
		summary: 'Unblock a member',
		run: (call) => setBlocked(requireCaller(call), call.params.username, false),
	}),
]

/** Relations between two members: who may write, blocks, mutes, requests. */
export const conversations = defineFeature({
	name: 'conversations',
	onConnect: (tab) => keepCount(tab, 'chat:', () => announceUnread(tab)),
	api: { operations: conversationOperations, schemas: conversationShapes },
	leaving: [transferConversations],
	merging: [mergeConversations],
	memberData: {
		conversations: {
			members: { lower_id: 'kept', higher_id: 'kept', started_by: 'kept' },
			merge: {
				lower_id: { step: 'of two with the same member one is made' },
				higher_id: { step: 'as lower_id' },
				started_by: { step: 'as lower_id' },
			},
			archive: ['id', 'peer_name', 'peer_username', 'created_at'],
			rows: archivedConversations,
		},
		conversation_members: {
			members: { user_id: 'kept' },
			merge: { user_id: { step: 'as conversations' } },
			archive: ['conversation_id', 'muted', 'pending', 'unread'],
		},
		messages: {
			members: { sender_id: 'kept', recipient_id: 'kept' },
			merge: { sender_id: { step: 'as conversations' }, recipient_id: { step: 'as conversations' } },
			archive: ['conversation_id', 'mine', 'body', 'pictures', 'sent_at', 'edited_at', 'deleted_at'],
			rows: archivedMessages,
			withheld: {
				html: 'made of the text',
				recipient_body: 'is given as the text where the member received it',
				recipient_html: 'made of the text',
			},
			mentions: { body: null, html: null, recipient_body: null, recipient_html: null },
		},
		reported_messages: {
			members: { extract: 'kept' },
			merge: { extract: { stays: 'says who was called what when it was reported' } },
			archive: 'what moderators were shown of a conversation',
		},
		chat_settings: {
			members: { user_id: 'deleted' },
			merge: { user_id: { unlessSame: [] } },
			archive: ['accepts', 'shows_typing'],
		},
	},
})

/** Sends what may have changed while the tab was disconnected, or between its page and its socket. */
async function announceUnread(tab: Tab): Promise<void> {
	const { userId } = tab.data
	const [unread, newest] = await Promise.all([countConversationsWithUnread(userId), findNewestTime(userId)])
	tab.emit('chat:count', { ...unread, newest: newest?.toISOString() ?? null })
}
