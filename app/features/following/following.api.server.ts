import { z } from 'zod'
import { cursor, id, nextCursor, questionCard, time } from '~/features/questions/questions.api.server.ts'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import {
	FOLLOWED_PER_PAGE,
	MAX_NEW_RESULTS,
	MAX_SAVED_SEARCH_LENGTH,
	MAX_SAVED_SEARCHES,
	MAX_SEARCH_NAME,
} from './following.limits.ts'
import { followQuestion, listFollowedQuestions, setAffected } from './following.server.ts'
import type { FollowedQuestionView, SavedSearchView } from './following.view.ts'
import { listSavedSearches, removeSearch, savedSearchInput, saveSearch } from './searches.server.ts'

/* The API of what a member follows. Tags and categories are in `tags.api.server.ts`. */

const followedQuery = questionCard.extend({
	activeAt: time.describe('When its last comment was written, or when it was asked.'),
}) satisfies z.ZodType<FollowedQuestionView, FollowedQuestionView>
const followedQueryList = z.object({ rows: z.array(followedQuery), next: nextCursor })
const affected = z.object({ affectedCount: z.int().describe('How many members have it now.') })

const savedSearch = z.object({
	id: z.int(),
	kind: z.enum(['queries', 'people']),
	name: z.string(),
	url: z.string().describe('Path of the results.'),
	newResults: z.int().describe(`How many are new since you opened it, at most ${MAX_NEW_RESULTS}.`),
}) satisfies z.ZodType<SavedSearchView, SavedSearchView>
const savedSearchList = z.object({ rows: z.array(savedSearch) })
const newSearch = z.strictObject({
	kind: savedSearchInput.shape.kind,
	query: z
		.string()
		.max(MAX_SAVED_SEARCH_LENGTH)
		.describe('Of queries what is searched for; of people what stands behind `/find-dev?`.'),
	name: z.string().meta({ minLength: 1, maxLength: MAX_SEARCH_NAME }),
})

/** The schema names in the OpenAPI description. */
export const followingShapes = {
	FollowedQuery: followedQuery,
	FollowedQueryList: followedQueryList,
	Affected: affected,
	SavedSearch: savedSearch,
	SavedSearchList: savedSearchList,
	NewSearch: newSearch,
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
		run: async (call) => void (await followQuestion(requireCaller(call), call.params.id, true)),
	}),
	operation({
		...pressing,
		id: 'unfollowQuery',
		method: 'delete',
		path: '/queries/{id}/following',
		summary: 'Unfollow a query',
		answer: null,
		run: async (call) => void (await followQuestion(requireCaller(call), call.params.id, false)),
	}),
	operation({
		...pressing,
		id: 'setAffected',
		method: 'put',
		path: '/queries/{id}/affected',
		summary: 'Say that you have the same problem, and follow the query',
		description: 'Sending it twice counts once. It is no vote.',
		answer: affected,
		run: async (call) => ({ affectedCount: (await setAffected(requireCaller(call), call.params.id, true)).count }),
	}),
	operation({
		...pressing,
		id: 'unsetAffected',
		method: 'delete',
		path: '/queries/{id}/affected',
		summary: 'Say that you no longer have the same problem',
		description: 'You go on following the query.',
		answer: affected,
		run: async (call) => ({ affectedCount: (await setAffected(requireCaller(call), call.params.id, false)).count }),
	}),
	operation({
		id: 'listSavedSearches',
		group: 'Following',
		method: 'get',
		path: '/me/searches',
		summary: 'List your saved searches',
		description: `Newest first, at most ${MAX_SAVED_SEARCHES}. Nobody else sees them.`,
		access: 'members',
		answer: savedSearchList,
		run: async (call) => ({ rows: await listSavedSearches(requireCaller(call)) }),
	}),
	operation({
		id: 'saveSearch',
		group: 'Following',
		method: 'post',
		path: '/me/searches',
		summary: 'Save a search: you are told of new results, at most once a day',
		description: 'A search that is already saved only gets the new name.',
		access: 'members',
		body: newSearch,
		example: { kind: 'people', query: 'skill=React&year=3', name: 'React, 3rd year' },
		answer: savedSearch,
		status: 201,
		refusals: [422],
		run: (call) => saveSearch(requireCaller(call), call.body),
	}),
	operation({
		id: 'removeSearch',
		group: 'Following',
		method: 'delete',
		path: '/me/searches/{id}',
		summary: 'Remove a saved search',
		access: 'members',
		params: { id },
		answer: null,
		run: async (call) => removeSearch(requireCaller(call), call.params.id),
	}),
]
