import { z } from 'zod'
import { id } from '~/features/questions/questions.api.server.ts'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import { declineToAnswer, inviteToAnswer } from './invitations.server.ts'
import { outdatedInput, reportOutdated, withdrawOutdated } from './outdated.server.ts'
import { MAX_INVITED, MIN_OUTDATED } from './upkeep.view.ts'

/* The API of outdated solutions and invitations to answer. */

const outdatedBody = z.strictObject({ reason: outdatedInput.shape.reason.describe('Why; empty for no reason.') })

const invitation = z.strictObject({ username: z.string().max(60).describe('Whom to ask.') })

/** The schema names in the OpenAPI description. */
export const upkeepShapes = { SayOutdated: outdatedBody, Invite: invitation }

const judging = { group: 'Votes and solutions', access: 'members', params: { id }, answer: null } as const

const inviting = { group: 'Queries', access: 'members', params: { id }, answer: null } as const

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
		run: async (call) => void (await reportOutdated(requireCaller(call), call.params.id, call.body)),
	}),
	operation({
		...judging,
		id: 'takeOutdatedBack',
		method: 'delete',
		path: '/comments/{id}/outdated',
		summary: 'Take back that a solution no longer works',
		refusals: [404],
		run: async (call) => void (await withdrawOutdated(requireCaller(call), call.params.id)),
	}),
	operation({
		...inviting,
		id: 'invite',
		method: 'post',
		path: '/queries/{id}/invitations',
		summary: 'Ask a member to answer a query',
		description: `At most ${MAX_INVITED.byOne} members for a query, and ${MAX_INVITED.aDay} a day. The answer does not tell whether it reached them.`,
		body: invitation,
		example: { username: 'mira.quillon' },
		refusals: [403, 404, 422],
		run: async (call) => void (await inviteToAnswer(requireCaller(call), call.params.id, String(call.body.username))),
	}),
	operation({
		...inviting,
		id: 'declineInvitation',
		method: 'delete',
		path: '/queries/{id}/invitations',
		summary: 'Decline to answer a query',
		description: 'Nobody can ask you again to answer it.',
		refusals: [404],
		run: async (call) => void (await declineToAnswer(requireCaller(call), call.params.id)),
	}),
]
