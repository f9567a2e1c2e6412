import { z } from 'zod'
import {
	cursor,
	editedVersion,
	html,
	id,
	markdown,
	nextCursor,
	origin,
	postPermissions,
	restoringRule,
	runEdit,
	time,
	unpublished,
	versionToEdit,
	vote,
	voteValue,
} from '~/features/questions/questions.api.server.ts'
import { postLimits } from '~/features/questions/questions.limits.ts'
import { commentInput } from '~/features/questions/questions.schema.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { outdatedInput } from '~/features/upkeep/outdated.server.ts'
import { NoSuch } from '~/lib/errors.ts'
import { author, operation, requireCaller } from '~/platform/http/operation.ts'
import type { CommentView, HistoryView } from './comment.view.ts'
import { addComment, deleteComment, editComment, restoreComment } from './commenting.server.ts'
import { findComment } from './comments.queries.server.ts'
import { askerForApi, getComment, listComments } from './discussion.server.ts'
import { readCommentHistory, readQuestionHistory } from './history.server.ts'
import { castVote, chooseSolution, withdrawSolution } from './votes.server.ts'

const comment: z.ZodType<CommentView, CommentView> = z.object({
	id: z.int(),
	author: author.nullable().describe('null if it was deleted and has replies.'),
	body: z.string().nullable().describe(`${markdown} Only for those who may edit it.`),
	bodyHtml: z.string().describe(html),
	createdAt: time,
	editedAt: time.nullable(),
	version: z.int().describe('Raised by every edit.'),
	deleted: z.boolean(),
	unpublished,
	solution: z.boolean(),
	chosenAt: time.nullable().describe('When it was chosen as a solution; null when that is not known.'),
	outdated: z
		.object({
			count: z.int(),
			at: time.describe('When the last of them said so.'),
			reason: outdatedInput.shape.reason.unwrap(),
		})
		.nullable()
		.describe('How many members say that a solution no longer works; null below 2.'),
	saysOutdated: z.boolean().describe('Whether you say so.'),
	mayChoose: z.boolean(),
	...vote,
	score: z.int(),
	depth: z.int(),
	byAsker: z.boolean(),
	...postPermissions,
	origin,
	get replies() {
		return z.array(comment)
	},
	hiddenReplies: z.int().describe('How many more replies there are; read them with ?thread= and this id.'),
})
const commentPage = z.object({
	rows: z.array(comment),
	next: nextCursor,
	solutions: z.array(comment).describe('The solutions of the query, at most 10.'),
})
const body = commentInput.shape.body.meta({ minLength: 1, maxLength: postLimits.commentMax, description: 'Markdown.' })
const newComment = z.strictObject({
	body,
	parentId: z.int().nullable().optional().describe('The comment that this replies to.'),
})
const changedComment = z.strictObject({ body, version: editedVersion })

const castBody = z.strictObject({ vote: voteValue })
const cast = z.object({ vote: voteValue, score: z.int().describe('With your vote.') })

const change = z.object({
	field: z.string().describe('Title, Category, Tags, Description; Text for a comment.'),
	parts: z
		.array(z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() }))
		.describe('The text in pieces: kept, added and removed.'),
})

const history = z.object({
	title: z.string().describe('Title of the query as it is now.'),
	url: z.string().describe('Path of the text.'),
	edits: z.array(
		z.object({
			at: time,
			by: author.omit({ image: true }),
			byModerator: z.boolean().describe('Whether a moderator changed somebody else’s text.'),
			changes: z.array(change),
		}),
	),
	next: nextCursor,
}) satisfies z.ZodType<HistoryView, HistoryView>

/** The schema names in the OpenAPI description. */
export const discussionShapes = {
	Comment: comment,
	CommentPage: commentPage,
	NewComment: newComment,
	ChangedComment: changedComment,
	CastVote: castBody,
	Voted: cast,
	History: history,
}

const voting = {
	group: 'Votes and solutions',
	method: 'put',
	description: 'Sending the same twice counts once.',
	access: 'members',
	params: { id },
	body: castBody,
	example: { vote: 1 },
	answer: cast,
	refusals: [403, 404, 422],
} as const
const choosing = {
	group: 'Votes and solutions',
	access: 'members',
	params: { id },
	answer: null,
	refusals: [403, 404],
} as const
const edits = { access: 'members', params: { id }, query: { cursor }, answer: history, refusals: [404, 422] } as const

export const discussionOperations = [
	operation({
		id: 'listComments',
		group: 'Comments',
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
			const question = await getQuestion(viewer, params.id)
			return listComments(viewer, {
				questionId: params.id,
				...askerForApi(question),
				cursor: cursor ?? null,
				...(thread === undefined ? {} : { thread }),
			})
		},
	}),
	operation({
		id: 'addComment',
		group: 'Comments',
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
			const made = await addComment(requireCaller(call), { questionId: call.params.id, parentId, body, key: call.key })
			return made.comment ?? getComment(call.viewer, made.id)
		},
	}),
	operation({
		id: 'getComment',
		group: 'Comments',
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
		group: 'Comments',
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
			const version = versionToEdit(call.ifMatch, named, (await getComment(call.viewer, call.params.id)).version)
			await runEdit(call.ifMatch, sent, () => editComment(requireCaller(call), call.params.id, { ...sent, version }))
			return getComment(call.viewer, call.params.id)
		},
	}),
	operation({
		id: 'deleteComment',
		group: 'Comments',
		method: 'delete',
		path: '/comments/{id}',
		summary: 'Delete a comment',
		description:
			'For its author and for moderators, also below a query that was deleted or merged. Replies to it stay.',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [403, 404, 409],
		run: async (call) => void (await deleteComment(requireCaller(call), call.params.id)),
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
			await restoreComment(requireCaller(call), call.params.id)
			return getComment(call.viewer, call.params.id)
		},
	}),
	operation({
		...voting,
		id: 'voteOnQuery',
		path: '/queries/{id}/vote',
		summary: 'Vote on a query, or take the vote back with 0',
		run: async (call) =>
			castVote(requireCaller(call), { questionId: call.params.id, commentId: null, vote: Number(call.body.vote) }),
	}),
	operation({
		...voting,
		id: 'voteOnComment',
		path: '/comments/{id}/vote',
		summary: 'Vote on a comment, or take the vote back with 0',
		run: async (call) => {
			const { id: commentId } = call.params
			return castVote(requireCaller(call), {
				questionId: await requireQuestionId(commentId),
				commentId,
				vote: Number(call.body.vote),
			})
		},
	}),
	operation({
		...choosing,
		id: 'chooseSolution',
		method: 'put',
		path: '/comments/{id}/solution',
		summary: 'Mark a comment as a solution',
		description: 'For the author of the query and for moderators. A query may have several solutions.',
		run: async (call) => {
			const { id: commentId } = call.params
			await chooseSolution(requireCaller(call), { questionId: await requireQuestionId(commentId), commentId })
		},
	}),
	operation({
		...choosing,
		id: 'withdrawSolution',
		method: 'delete',
		path: '/comments/{id}/solution',
		summary: 'Take a solution back',
		description: 'For the author of the query and for moderators.',
		run: async (call) => {
			const { id: commentId } = call.params
			await withdrawSolution(requireCaller(call), { questionId: await requireQuestionId(commentId), commentId })
		},
	}),
	operation({
		...edits,
		id: 'listQueryEdits',
		group: 'Queries',
		method: 'get',
		path: '/queries/{id}/edits',
		summary: 'Read the edits of a query with their differences, newest first',
		run: async (call) => readQuestionHistory(requireCaller(call), call.params.id, call.query.cursor ?? null),
	}),
	operation({
		...edits,
		id: 'listCommentEdits',
		group: 'Comments',
		method: 'get',
		path: '/comments/{id}/edits',
		summary: 'Read the edits of a comment with their differences, newest first',
		run: async (call) => readCommentHistory(requireCaller(call), call.params.id, call.query.cursor ?? null),
	}),
]

/** The question of a comment. @throws NotFound */
async function requireQuestionId(commentId: number): Promise<number> {
	const comment = await findComment(commentId)
	if (!comment) throw new NoSuch('comment')
	return comment.question_id
}
