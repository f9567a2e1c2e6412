import { z } from 'zod'
import { id } from '~/features/questions/api/shapes.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { limits } from '../moderation/moderation.limits.ts'
import { reasons } from '../moderation/moderation.present.ts'
import { report } from '../moderation/reports.server.ts'

const newReport = z.strictObject({
	reason: z.enum(reasons.map(({ value }) => value)),
	details: z.string().max(limits.detailsMax).optional().describe('Needed where the reason is `other`.'),
})

export const reportShapes = { NewReport: newReport }

const common = {
	group: 'Reports',
	method: 'post',
	description: 'Once, until a moderator has looked at it. Nobody reports what is their own.',
	access: 'members',
	body: newReport,
	example: { reason: 'spam' },
	answer: null,
	refusals: [403, 404, 409, 422] as (403 | 404 | 409 | 422)[],
} as const

export const reportOperations = [
	operation({
		...common,
		id: 'reportQuery',
		path: '/queries/{id}/reports',
		summary: 'Report a query to the moderators',
		params: { id },
		run: async (call) => void (await report(member(call), { kind: 'query', name: String(call.params.id) }, call.body)),
	}),
	operation({
		...common,
		id: 'reportComment',
		path: '/comments/{id}/reports',
		summary: 'Report a comment to the moderators',
		params: { id },
		run: async (call) =>
			void (await report(member(call), { kind: 'comment', name: String(call.params.id) }, call.body)),
	}),
	operation({
		...common,
		id: 'reportProfile',
		path: '/profiles/{username}/reports',
		summary: 'Report a profile to the moderators',
		params: { username: z.string().max(60) },
		run: async (call) => void (await report(member(call), { kind: 'profile', name: call.params.username }, call.body)),
	}),
]
