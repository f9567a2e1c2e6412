import { z } from 'zod'
import { cursor } from '~/features/questions/api/shapes.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { judge } from '../moderation/acts.server.ts'
import { appoint } from '../moderation/members.server.ts'
import { getCase, listCases, listLog } from '../moderation/queue.server.ts'
import { caseList, judged, judgement, logList, moderationCase, newRole } from './moderation-shapes.server.ts'

const group = 'Moderation'
const target = {
	kind: z.enum(['query', 'comment', 'profile']),
	name: z.string().max(60).describe('The id of a query or comment, the username of a profile.'),
}

export const moderationOperations = [
	operation({
		id: 'listCases',
		group,
		method: 'get',
		path: '/moderation/cases',
		summary: 'List reported and waiting posts',
		description: 'For moderators.',
		access: 'members',
		staff: true,
		query: { order: z.enum(['newest', 'reported']).default('newest'), cursor },
		answer: caseList,
		refusals: [422],
		run: async (call) => listCases(member(call), { order: call.query.order, cursor: call.query.cursor ?? null }),
	}),
	operation({
		id: 'getCase',
		group,
		method: 'get',
		path: '/moderation/{kind}/{name}',
		summary: 'Read a case, reported or not',
		description: 'For moderators.',
		access: 'members',
		staff: true,
		params: target,
		answer: moderationCase,
		refusals: [404],
		run: async (call) => getCase(member(call), call.params),
	}),
	operation({
		id: 'judge',
		group,
		method: 'post',
		path: '/moderation/{kind}/{name}/acts',
		summary: 'Decide a case: hide, restore, lock, merge, suspend and so on',
		description: 'For moderators. `acts` of a case says what can be done now. 409 if another moderator decided first.',
		access: 'members',
		staff: true,
		params: target,
		body: judgement,
		example: { act: 'lock', why: 'It goes round in circles.' },
		answer: judged,
		refusals: [404, 409, 422],
		run: async (call) => {
			const { act, ...input } = call.body
			return { done: await judge(member(call), { ...call.params, act: String(act) }, { why: '', ...input }) }
		},
	}),
	operation({
		id: 'setRole',
		group,
		method: 'put',
		path: '/moderation/members/{username}/role',
		summary: 'Make somebody a moderator, or a member again',
		description: 'For admins. Takes effect with the member’s next request. 409 if they already have the role.',
		access: 'members',
		staff: true,
		params: { username: z.string().max(60) },
		body: newRole,
		example: { role: 'moderator' },
		answer: null,
		refusals: [403, 404, 409, 422],
		run: (call) => appoint(member(call), call.params.username, newRole.parse(call.body).role),
	}),
	operation({
		id: 'listLog',
		group,
		method: 'get',
		path: '/moderation/log',
		summary: 'Read the moderation log',
		description: 'For admins. Newest first.',
		access: 'members',
		staff: true,
		query: {
			member: z.string().max(60).default('').describe('A username: what they did and what was done to them.'),
			cursor,
		},
		answer: logList,
		refusals: [422],
		run: async (call) => listLog(member(call), { member: call.query.member, cursor: call.query.cursor ?? null }),
	}),
]
