import { db, type Executor } from '~/db/db.server.ts'
import { type EventQuery, type ForumEvent, recordEffects, tellEffects } from './effects.server.ts'
import type { QueryPageRow } from './forum.queries.server.ts'
import { queryUrl } from './forum.views.ts'

/** Changes the forum in one transaction, with what follows from it; others are told once it is committed. */
export async function change<Result>(
	work: (trx: Executor) => Promise<{ event: ForumEvent; result: Result }>,
): Promise<Result> {
	const { event, result } = await db()
		.transaction()
		.execute(async (trx) => {
			const done = await work(trx)
			await recordEffects(trx, done.event)
			return done
		})
	await tellEffects(event)
	return result
}

/** What an event says of its query. */
export function eventQuery(
	row: Pick<QueryPageRow, 'id' | 'author_id' | 'title' | 'tags' | 'username' | 'category_slug'>,
): EventQuery {
	const { id, author_id: authorId, title, tags, category_slug: category } = row
	return { id, authorId, title, tags, category, url: queryUrl(row) }
}
