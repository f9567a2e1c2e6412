import { z } from 'zod'
import { id, voteValue } from '~/features/questions/questions.api.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { castVote, chooseSolution, withdrawSolution } from '../votes.server.ts'
import { questionIdOf } from './shapes.server.ts'

const group = 'Votes and solutions'
const example = { vote: 1 }
const again = 'Sending the same twice counts once.'

const castBody = z.strictObject({ vote: voteValue })
const cast = z.object({ vote: voteValue, score: z.int().describe('With your vote.') })

export const voteShapes = { CastVote: castBody, Voted: cast }

export const voteOperations = [
	operation({
		id: 'voteOnQuery',
		group,
		method: 'put',
		path: '/queries/{id}/vote',
		summary: 'Vote on a query, or take the vote back with 0',
		description: again,
		access: 'members',
		params: { id },
		body: castBody,
		example,
		answer: cast,
		refusals: [403, 404, 422],
		run: async (call) =>
			castVote(member(call), { questionId: call.params.id, commentId: null, vote: Number(call.body.vote) }),
	}),
	operation({
		id: 'voteOnComment',
		group,
		method: 'put',
		path: '/comments/{id}/vote',
		summary: 'Vote on a comment, or take the vote back with 0',
		description: again,
		access: 'members',
		params: { id },
		body: castBody,
		example,
		answer: cast,
		refusals: [403, 404, 422],
		run: async (call) => {
			const { id: commentId } = call.params
			return castVote(member(call), {
				questionId: await questionIdOf(commentId),
				commentId,
				vote: Number(call.body.vote),
			})
		},
	}),
	operation({
		id: 'chooseSolution',
		group,
		method: 'put',
		path: '/comments/{id}/solution',
		summary: 'Mark a comment as a solution',
		description: 'For the author of the query and for moderators. A query may have several solutions.',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [403, 404],
		run: async (call) => {
			const { id: commentId } = call.params
			await chooseSolution(member(call), { questionId: await questionIdOf(commentId), commentId })
		},
	}),
	operation({
		id: 'withdrawSolution',
		group,
		method: 'delete',
		path: '/comments/{id}/solution',
		summary: 'Take that back',
		description: 'For the author of the query and for moderators.',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [403, 404],
		run: async (call) => {
			const { id: commentId } = call.params
			await withdrawSolution(member(call), { questionId: await questionIdOf(commentId), commentId })
		},
	}),
]
