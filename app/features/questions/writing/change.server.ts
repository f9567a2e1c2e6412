import { queryUrl } from '~/features/search/search.paths.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { QueryPageRow } from '../questions.queries.server.ts'
import { type EventQuery, type ForumEvent, recordEffects, tellEffects } from './effects.server.ts'

/**
 * Changes the forum in one transaction, with what follows from it; others are told once it is committed.
 * @param work answers null for the event when it turned out that nothing has to change
 */
export async function change<Result>(
	work: (trx: Executor) => Promise<{ event: ForumEvent | null; result: Result }>,
): Promise<Result> {
	const { event, result } = await db()
		.transaction()
		.execute(async (trx) => {
			const done = await work(trx)
			return { ...done, event: done.event && (await recordEffects(trx, done.event)) }
		})
	if (event) await tellEffects(event)
	return result
}

/** A query as events name it. */
export function eventQuery(
	row: Pick<QueryPageRow, 'id' | 'author_id' | 'title' | 'tags' | 'username' | 'category_slug'>,
): EventQuery {
	const { id, author_id: authorId, title, tags, category_slug: category } = row
	return { id, authorId, title, tags, category, url: queryUrl(row) }
}
