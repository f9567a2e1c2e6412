import { z } from 'zod'
import { parseInput } from '~/platform/http/form.server.ts'
import { author, operation, requireCaller } from '~/platform/http/operation.ts'
import { listAnswerable } from './answerable.server.ts'
import { declineQuestion, setOptedIn } from './choosing.server.ts'
import { ANSWERABLE_PER_PAGE } from './routing.limits.ts'
import { type AnswerableView, OPT_IN_SENTENCE } from './routing.view.ts'

/* The API of answerable questions and of being asked, with the use cases of the page. */

const answerable = z.object({
	id: z.int(),
	url: z.string().describe('Path of its page.'),
	title: z.string(),
	excerpt: z.string().describe('How the text begins, as plain text.'),
	category: z.object({ slug: z.string(), title: z.string() }),
	author,
	tags: z.array(z.string()),
	createdAt: z.string().meta({ format: 'date-time' }),
	commentCount: z.int(),
	because: z.array(z.string()).describe('Which of your skills, or of the tags you have answered under, it needs.'),
}) satisfies z.ZodType<AnswerableView, AnswerableView>

const answerableList = z.object({
	rows: z.array(answerable),
	next: z.string().nullable().describe('The cursor of the next page; null at the end.'),
})

const setAskedBody = z.strictObject({
	asked: z.boolean('Say true or false.').describe('Whether you may be asked about new queries.'),
})
const declineBody = z.strictObject({
	declined: z.boolean('Say true or false.').describe('true for “not me”, false to take that back.'),
})

/** The schema names in the OpenAPI description. */
export const routingShapes = {
	Answerable: answerable,
	AnswerableList: answerableList,
	SetAsked: setAskedBody,
	DeclineQuery: declineBody,
}

const group = 'Answering'

export const routingOperations = [
	operation({
		id: 'listAnswerable',
		group,
		method: 'get',
		path: '/me/answerable',
		summary: 'List queries that you can answer',
		description: `Queries without a solution that match your skills and the answers you have given. Better matches and newer ones come first, ${ANSWERABLE_PER_PAGE} a page.`,
		access: 'members',
		query: { cursor: z.string().max(400).optional().describe('Where the page before ended: its `next`.') },
		answer: answerableList,
		refusals: [422],
		run: ({ viewer, query: { cursor = null } }) => listAnswerable(viewer, cursor),
	}),
	operation({
		id: 'setAsked',
		group,
		method: 'put',
		path: '/me/asked',
		summary: 'Say whether you may be asked about new queries',
		description: OPT_IN_SENTENCE,
		access: 'members',
		body: setAskedBody,
		example: { asked: true },
		answer: null,
		refusals: [422],
		run: (call) => setOptedIn(requireCaller(call), parseInput(setAskedBody, call.body).asked),
	}),
	operation({
		id: 'declineQuery',
		group,
		method: 'put',
		path: '/me/asked/{id}',
		summary: 'Say that a query you were asked about is not for you',
		description: 'You are asked less about what led to it.',
		access: 'members',
		params: { id: z.coerce.number().int().min(1).max(2_147_483_647).describe('Of the query.') },
		body: declineBody,
		example: { declined: true },
		answer: null,
		refusals: [404, 422],
		run: async (call) => {
			await declineQuestion(requireCaller(call), call.params.id, parseInput(declineBody, call.body).declined)
		},
	}),
]
