import { member, operation } from '~/platform/http/operation.ts'
import { getComment } from '../discussion/comments.server.ts'
import { getQuery } from '../lists/lists.server.ts'
import { restoreComment, restoreQuestion } from '../questions.server.ts'
import { id } from './parameters.server.ts'
import { comment, query } from './shapes.server.ts'

const description = 'For the member who deleted it, within ten minutes; for moderators at any time.'

export const restoringOperations = [
	operation({
		id: 'restoreQuestion',
		group: 'Queries',
		method: 'post',
		path: '/queries/{id}/restore',
		summary: 'Restore a deleted query',
		description,
		access: 'members',
		params: { id },
		answer: query,
		refusals: [403, 404, 409],
		run: async (call) => {
			await restoreQuestion(member(call), call.params.id)
			return getQuery(call.viewer, call.params.id)
		},
	}),
	operation({
		id: 'restoreComment',
		group: 'Comments',
		method: 'post',
		path: '/comments/{id}/restore',
		summary: 'Restore a deleted comment',
		description,
		access: 'members',
		params: { id },
		answer: comment,
		refusals: [403, 404, 409],
		run: async (call) => {
			await restoreComment(member(call), call.params.id)
			return getComment(call.viewer, call.params.id)
		},
	}),
]
