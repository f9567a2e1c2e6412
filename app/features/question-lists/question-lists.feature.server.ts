import { z } from 'zod'
import { cursor, limit, questionList } from '~/features/questions/questions.api.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { operation } from '~/platform/http/operation.ts'
import { listPages, listQuestions } from './lists.server.ts'

export const questionLists = defineFeature({
	name: 'question-lists',
	api: {
		operations: [
			operation({
				id: 'listQueries',
				group: 'Queries',
				method: 'get',
				path: '/queries',
				summary: 'List or search queries',
				description:
					'Newest first, unless `view` says otherwise. With `q` the best match comes first and `view` is ignored. All filters can be combined; only `view=active` is refused for a `tag` together with a `category` or an `author`.',
				access: 'everybody',
				query: {
					q: z.string().max(200).optional().describe('Words to search for.'),
					category: z.string().max(60).optional().describe('Slug of a category.'),
					tag: z.string().max(35).optional().describe('Name of a tag.'),
					author: z
						.string()
						.max(60)
						.optional()
						.describe('Username of the author. Your own lists what you asked under pseudonyms, too.'),
					view: z
						.enum(['newest', 'active', 'unanswered', 'unsolved', 'solved'])
						.default('newest')
						.describe('`unsolved`: with comments, and without a solution.'),
					cursor,
					limit,
				},
				answer: questionList,
				refusals: [404, 422],
				run: ({ viewer, query: { q, ...rest } }) =>
					listQuestions(viewer, { ...definite(rest), ...(q && { search: q }), mine: true }),
			}),
		],
		schemas: {},
	},
	cachedPages: listPages,
})

/** Removes undefined parameters, as `exactOptionalPropertyTypes` distinguishes them from missing ones. */
function definite<Query extends object>(query: Query): { [Name in keyof Query]: Exclude<Query[Name], undefined> } {
	const given = Object.entries(query).filter(([, value]) => value !== undefined)
	return Object.fromEntries(given) as { [Name in keyof Query]: Exclude<Query[Name], undefined> }
}
