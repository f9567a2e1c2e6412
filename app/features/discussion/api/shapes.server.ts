import { z } from 'zod'
import {
	author,
	html,
	madeFrom,
	markdown,
	next,
	origin,
	rights,
	time,
	vote,
	withheld,
} from '~/features/questions/questions.api.server.ts'
import { limits } from '~/features/questions/questions.limits.ts'
import { commentInput } from '~/features/questions/questions.schema.ts'
import { NotFound } from '~/lib/errors.ts'
import type { CommentView } from '../comment.view.ts'
import { findComment } from '../comments.queries.server.ts'

export const comment: z.ZodType<CommentView, CommentView> = z.object({
	id: z.int(),
	author: author.nullable().describe('null if it was deleted and has replies.'),
	body: z.string().nullable().describe(`${markdown} Only for those who may edit it.`),
	bodyHtml: z.string().describe(html),
	createdAt: time,
	editedAt: time.nullable(),
	version: z.int().describe('Raised by every edit.'),
	deleted: z.boolean(),
	withheld,
	solution: z.boolean(),
	chosenAt: time.nullable().describe('When it was chosen as a solution; null when that is not known.'),
	mayChoose: z.boolean(),
	...vote,
	score: z.int(),
	depth: z.int(),
	byAsker: z.boolean(),
	...rights,
	origin,
	get replies() {
		return z.array(comment)
	},
	hiddenReplies: z.int().describe('How many more replies there are; read them with ?thread= and this id.'),
})
export const commentPage = z.object({
	rows: z.array(comment),
	next,
	solutions: z.array(comment).describe('The solutions of the query, at most 10.'),
})
const body = commentInput.shape.body.meta({ minLength: 1, maxLength: limits.commentMax, description: 'Markdown.' })
export const newComment = z.strictObject({
	body,
	parentId: z.int().nullable().optional().describe('The comment that this replies to.'),
})
export const changedComment = z.strictObject({ body, version: madeFrom })

/** The query that a comment stands under. @throws NotFound */
export async function questionIdOf(commentId: number): Promise<number> {
	const comment = await findComment(commentId)
	if (!comment) throw new NotFound('There is no such comment. It may have been deleted.')
	return comment.question_id
}

/** Under which names the description knows these shapes. */
export const commentShapes = {
	Comment: comment,
	CommentPage: commentPage,
	NewComment: newComment,
	ChangedComment: changedComment,
}
