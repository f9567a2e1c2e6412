import { z } from 'zod'
import { id } from '~/features/questions/questions.api.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { outdatedInput, sayOutdated, takeOutdatedBack } from './outdated.server.ts'
import { MIN_OUTDATED } from './upkeep.view.ts'

/* Whether solutions still work, as JSON. */

const outdatedBody = z.strictObject({ reason: outdatedInput.shape.reason.describe('Why; empty for no reason.') })

/** Under which names the description knows these shapes. */
export const upkeepShapes = { SayOutdated: outdatedBody }

const judging = { group: 'Votes and solutions', access: 'members', params: { id }, answer: null } as const

export const upkeepOperations = [
	operation({
		...judging,
		id: 'sayOutdated',
		method: 'put',
		path: '/comments/{id}/outdated',
		summary: 'Say that a solution no longer works',
		description: `Its readers are told when ${MIN_OUTDATED} members say so of its present text. 409 for a comment that is no solution.`,
		body: outdatedBody,
		example: { reason: 'newer' },
		refusals: [403, 404, 409, 422],
		run: async (call) => sayOutdated(member(call), call.params.id, call.body),
	}),
	operation({
		...judging,
		id: 'takeOutdatedBack',
		method: 'delete',
		path: '/comments/{id}/outdated',
		summary: 'Take that back',
		refusals: [404],
		run: async (call) => takeOutdatedBack(member(call), call.params.id),
	}),
]
