import { z } from 'zod'
import { cursor, id, next, time } from '~/features/questions/questions.api.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import type { HistoryView } from '../comment.view.ts'
import { readCommentHistory, readQuestionHistory } from '../history.server.ts'

const change = z.object({
	field: z.string().describe('Title, Category, Tags, Description; Text for a comment.'),
	parts: z
		.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() }))
		.describe('The text in pieces: what stayed, what the edit brought, what it took out.'),
})

const history = z.object({
	title: z.string().describe('Title of the query as it is now.'),
	url: z.string().describe('Path of the text.'),
	edits: z.array(
		z.object({
			at: time,
			by: z.object({ username: z.string(), name: z.string() }),
			byModerator: z.boolean().describe('Whether a moderator changed somebody else’s text.'),
			changes: z.array(change),
		}),
	),
	next,
}) satisfies z.ZodType<HistoryView, HistoryView>

export const historyShapes = { History: history }

const shared = { access: 'members', params: { id }, query: { cursor }, answer: history } as const

export const historyOperations = [
	operation({
		...shared,
		id: 'listQueryEdits',
		group: 'Queries',
		method: 'get',
		path: '/queries/{id}/edits',
		summary: 'Read the edits of a query with their differences, newest first',
		refusals: [404, 422],
		run: async (call) => readQuestionHistory(member(call), call.params.id, call.query.cursor ?? null),
	}),
	operation({
		...shared,
		id: 'listCommentEdits',
		group: 'Comments',
		method: 'get',
		path: '/comments/{id}/edits',
		summary: 'Read the edits of a comment with their differences, newest first',
		refusals: [404, 422],
		run: async (call) => readCommentHistory(member(call), call.params.id, call.query.cursor ?? null),
	}),
]
