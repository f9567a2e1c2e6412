import { z } from 'zod'
import { cursor, id, next, questionCard, time } from '~/features/questions/questions.api.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { FOLLOWED_PER_PAGE } from './following.limits.ts'
import { followQuestion, listFollowedQuestions, setAffected } from './following.server.ts'
import type { FollowedQuestionView } from './following.view.ts'

/* What a member follows as JSON: the use cases of the pages. Tags and categories are in `tags.api.server.ts`. */

const followedQuery = questionCard.extend({
	activeAt: time.describe('When its last comment was written, or when it was asked.'),
}) satisfies z.ZodType<FollowedQuestionView, FollowedQuestionView>
const followedQueryList = z.object({ rows: z.array(followedQuery), next })
const affected = z.object({ affectedCount: z.int().describe('How many members have it now.') })

/** Under which names the description knows these shapes. */
export const followingShapes = {
	FollowedQuery: followedQuery,
	FollowedQueryList: followedQueryList,
	Affected: affected,
}

const pressing = { group: 'Following', access: 'members', params: { id }, refusals: [403, 404, 422] } as const

export const followingOperations = [
	operation({
		id: 'listFollowedQueries',
		group: 'Following',
		method: 'get',
		path: '/me/following/queries',
		summary: 'List the queries you follow',
		description: `Those you followed last first, ${FOLLOWED_PER_PAGE} a page.`,
		access: 'members',
		query: { cursor },
		answer: followedQueryList,
		refusals: [422],
		run: ({ viewer, query }) => listFollowedQuestions(viewer, query.cursor ?? null),
	}),
	operation({
		...pressing,
		id: 'followQuery',
		method: 'put',
		path: '/queries/{id}/following',
		summary: 'Follow a query: you are notified of new comments',
		answer: null,
		run: async (call) => void (await followQuestion(member(call), call.params.id, true)),
	}),
	operation({
		...pressing,
		id: 'unfollowQuery',
		method: 'delete',
		path: '/queries/{id}/following',
		summary: 'Unfollow a query',
		answer: null,
		run: async (call) => void (await followQuestion(member(call), call.params.id, false)),
	}),
	operation({
		...pressing,
		id: 'setAffected',
		method: 'put',
		path: '/queries/{id}/affected',
		summary: 'Say that you have the same problem, and follow the query',
		description: 'Sending it twice counts once. It is no vote.',
		answer: affected,
		run: async (call) => ({ affectedCount: (await setAffected(member(call), call.params.id, true)).count }),
	}),
	operation({
		...pressing,
		id: 'unsetAffected',
		method: 'delete',
		path: '/queries/{id}/affected',
		summary: 'Say that you no longer have the same problem',
		description: 'You go on following the query.',
		answer: affected,
		run: async (call) => ({ affectedCount: (await setAffected(member(call), call.params.id, false)).count }),
	}),
]
