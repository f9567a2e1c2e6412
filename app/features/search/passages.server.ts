import { markedPassage } from './marks.ts'
import { parseSearch } from './parse.ts'
import { passageRows } from './passages.queries.server.ts'
import type { CommentMatchView } from './search.view.ts'

/** The comments by which queries of a page of results match that have the words nowhere else, by the queries' ids. */
export async function commentMatches(search: string, ids: number[]): Promise<Map<number, CommentMatchView>> {
	const rows = ids.length > 0 ? await passageRows(parseSearch(search).words, ids) : []
	return new Map(
		rows.map((row) => [
			row.query_id,
			{ url: `/forum/comment/${row.comment_id}`, author: row.name, html: markedPassage(row.body_marked) },
		]),
	)
}
