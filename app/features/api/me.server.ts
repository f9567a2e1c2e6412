import { z } from 'zod'
import { member, operation } from '~/platform/http/operation.ts'

const me = z.object({
	username: z.string(),
	name: z.string(),
	image: z.string().nullable().describe('Path of the picture.'),
	role: z.enum(['member', 'moderator', 'admin']).describe('As it counts here: a token without `moderate` is a member.'),
})

export const ownShapes = { Me: me }

export const ownOperations = [
	operation({
		id: 'getMe',
		group: 'You',
		method: 'get',
		path: '/me',
		summary: 'Read whom this token or session belongs to',
		access: 'members',
		answer: me,
		run: async (call) => member(call),
	}),
]
