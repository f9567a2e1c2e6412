import { z } from 'zod'
import { NotFound } from '~/lib/errors.ts'
import { findComment } from '../discussion/comments.queries.server.ts'

/* The parameters that several operations share. */

export const id = z.coerce.number().int().min(1).max(2_147_483_647)
export const cursor = z.string().max(400).optional().describe('Where the page before ended: its `next`.')
export const limit = z.coerce.number().int().min(1).max(50).default(20).describe('How many rows at most.')

/** The query that a comment stands under. @throws NotFound */
export async function queryIdOf(commentId: number): Promise<number> {
	const comment = await findComment(commentId)
	if (!comment) throw new NotFound('There is no such comment. It may have been deleted.')
	return comment.query_id
}
