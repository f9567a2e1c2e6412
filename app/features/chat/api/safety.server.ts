import { listBlocked } from '~/features/members/blocks.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { getMessage } from '../messages/places.server.ts'
import { markSeen } from '../messages/reading.server.ts'
import { reportMessage } from '../safety/reporting.server.ts'
import { acceptConversation, setBlocked, setMuted } from '../safety/safety.server.ts'
import { blockedList, id, newReport, readUpTo, username } from './shapes.server.ts'

const shared = {
	group: 'Messages',
	access: 'members',
	area: 'messages',
	params: { username },
	answer: null,
	refusals: [404],
} as const satisfies object

export const safetyOperations = [
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
			await getMessage(member(call), call.params.username, upTo)
			await markSeen(call.viewer, { with: call.params.username, upTo, read: true })
		},
	}),
	operation({
		...shared,
		id: 'acceptConversation',
		method: 'put',
		path: '/me/conversations/{username}/accepted',
		summary: 'Accept a stranger’s request without writing',
		run: (call) => acceptConversation(member(call), call.params.username),
	}),
	operation({
		...shared,
		id: 'muteConversation',
		method: 'put',
		path: '/me/conversations/{username}/muted',
		summary: 'Mute a conversation: no sound, no email, no unread count',
		run: (call) => setMuted(member(call), call.params.username, true),
	}),
	operation({
		...shared,
		id: 'unmuteConversation',
		method: 'delete',
		path: '/me/conversations/{username}/muted',
		summary: 'Unmute a conversation',
		run: (call) => setMuted(member(call), call.params.username, false),
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
		run: async (call) => ({ rows: await listBlocked(member(call)) }),
	}),
	operation({
		...shared,
		id: 'blockMember',
		method: 'put',
		path: '/me/blocks/{username}',
		summary: 'Block a member',
		description:
			'They are not told. From then on their messages do not reach you, and they cannot comment on or vote for what you wrote, or see when you are online.',
		run: (call) => setBlocked(member(call), call.params.username, true),
	}),
	operation({
		...shared,
		id: 'unblockMember',
		method: 'delete',
		path: '/me/blocks/{username}',
		summary: 'Unblock a member',
		run: (call) => setBlocked(member(call), call.params.username, false),
	}),
	operation({
		...shared,
		id: 'reportMessage',
		method: 'post',
		path: '/me/conversations/{username}/messages/{id}/reports',
		summary: 'Report a message that you received to the moderators',
		description: 'They see it and the five before it, but nothing else of the conversation.',
		params: { username, id },
		body: newReport,
		example: { words: 'This is an insult.' },
		refusals: [404, 409, 422],
		run: (call) => {
			const { username: peer, id: messageId } = call.params
			return reportMessage(member(call), { with: peer, id: messageId }, call.body)
		},
	}),
]
