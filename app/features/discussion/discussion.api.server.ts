import { cursor, editing, id, namedVersion, restoringRule } from '~/features/questions/questions.api.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { changedComment, comment, commentPage, newComment } from './api/shapes.server.ts'
import { addComment, deleteComment, editComment, restoreComment } from './commenting.server.ts'
import { getComment, listComments } from './discussion.server.ts'

const group = 'Comments'

export const commentOperations = [
	operation({
		id: 'listComments',
		group,
		method: 'get',
		path: '/queries/{id}/comments',
		summary: 'Read the comments of a query',
		description:
			'As threads, oldest first, four levels deep: 30 threads and 200 comments a page at most. `thread` shows one comment with the replies to it.',
		access: 'everybody',
		params: { id },
		query: { cursor, thread: id.optional().describe('Id of a comment.') },
		answer: commentPage,
		refusals: [404, 422],
		run: async ({ viewer, params, query: { cursor, thread } }) => {
			const { author } = await getQuestion(viewer, params.id)
			return listComments(viewer, {
				questionId: params.id,
				askerUsername: author.username,
				cursor: cursor ?? null,
				...(thread === undefined ? {} : { thread }),
			})
		},
	}),
	operation({
		id: 'addComment',
		group,
		method: 'post',
		path: '/queries/{id}/comments',
		summary: 'Comment on a query, or reply to a comment',
		access: 'members',
		repeatable: true,
		params: { id },
		body: newComment,
		example: { body: '`git reset --soft HEAD~1` keeps your changes.', parentId: null },
		answer: comment,
		status: 201,
		location: (made) => `/comments/${made.id}`,
		refusals: [403, 404, 422],
		run: async (call) => {
			const parentId = (call.body.parentId ?? null) as number | null
			const { body } = call.body
			const made = await addComment(member(call), { questionId: call.params.id, parentId, body, key: call.key })
			return getComment(call.viewer, made.id)
		},
	}),
	operation({
		id: 'getComment',
		group,
		method: 'get',
		path: '/comments/{id}',
		summary: 'Read a comment with the replies to it',
		access: 'everybody',
		params: { id },
		answer: comment,
		refusals: [404],
		run: ({ viewer, params }) => getComment(viewer, params.id),
	}),
	operation({
		id: 'editComment',
		group,
		method: 'patch',
		path: '/comments/{id}',
		summary: 'Change a comment',
		description:
			'For its author and for moderators. Send `version` or `If-Match` so that nothing somebody else saved is overwritten.',
		access: 'members',
		params: { id },
		conditional: true,
		body: changedComment,
		example: { body: '`git reset --soft HEAD~1`, as long as nobody has pulled it.' },
		answer: comment,
		refusals: [403, 404, 409, 412, 422],
		run: async (call) => {
			const { version: named, ...sent } = call.body
			const version = namedVersion(call.ifMatch, named, (await getComment(call.viewer, call.params.id)).version)
			await editing(call.ifMatch, sent, () => editComment(member(call), call.params.id, { ...sent, version }))
			return getComment(call.viewer, call.params.id)
		},
	}),
	operation({
		id: 'deleteComment',
		group,
		method: 'delete',
		path: '/comments/{id}',
		summary: 'Delete a comment',
		description: 'For its author and for moderators. Replies to it stay.',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [403, 404],
		run: async (call) => void (await deleteComment(member(call), call.params.id)),
	}),
	operation({
		id: 'restoreComment',
		group: 'Comments',
		method: 'post',
		path: '/comments/{id}/restore',
		summary: 'Restore a deleted comment',
		description: restoringRule,
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
