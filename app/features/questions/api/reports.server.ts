import { reportOperation } from '~/features/moderation/moderation.api.server.ts'
import { id } from '../questions.api.server.ts'

export const reportOperations = [
	reportOperation({
		id: 'reportQuery',
		type: 'query',
		path: '/queries/{id}/reports',
		summary: 'Report a query to the moderators',
		param: { id },
	}),
	reportOperation({
		id: 'reportComment',
		type: 'comment',
		path: '/comments/{id}/reports',
		summary: 'Report a comment to the moderators',
		param: { id },
	}),
]
