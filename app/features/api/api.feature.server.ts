import { z } from 'zod'
import { cachedPage } from '~/platform/cache/cached-page.ts'
import { defineFeature } from '~/platform/feature.ts'
import { operation, portrait, requireCaller } from '~/platform/http/operation.ts'

const me = z.object({
	username: z.string(),
	name: z.string(),
	image: portrait,
	role: z
		.enum(['member', 'moderator', 'admin'])
		.describe('The effective role: a token without `moderate` has the role of a member.'),
})

const ownShapes = { Me: me }

const ownOperations = [
	operation({
		id: 'getMe',
		group: 'You',
		method: 'get',
		path: '/me',
		summary: 'Read whom this token or session belongs to',
		access: 'members',
		answer: me,
		run: async (call) => requireCaller(call),
	}),
]

export const api = defineFeature({
	name: 'api',
	api: { operations: ownOperations, schemas: ownShapes },
	cachedPages: [cachedPage({ path: '/api/docs' })],
})
