import type { EventQuery, ForumEvent } from '~/features/questions/writing/change.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/** What happened when a post was let pass: its author added it. */
export async function readAdded(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	query: EventQuery,
	approvedBy: number,
): Promise<ForumEvent> {
	if (kind === 'query') {
		const { author_id: actorId, description } = await trx
			.selectFrom('queries')
			.select(['author_id', 'description'])
			.where('id', '=', id)
			.executeTakeFirstOrThrow()
		return { kind: 'query-added', actorId, query, description, approvedBy }
	}
	const added = await trx
		.selectFrom('comments')
		.innerJoin('users', 'users.id', 'comments.author_id')
		.select(['author_id as actorId', 'username', 'parent_id as parentId', 'body'])
		.where('comments.id', '=', id)
		.executeTakeFirstOrThrow()
	return { kind: 'comment-added', ...added, query, commentId: id, approvedBy }
}
