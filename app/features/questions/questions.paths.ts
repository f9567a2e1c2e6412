import { lastingUrl } from '~/features/search/search.view.ts'

/** The edit page of a question whose canonical address is `url`. */
export function editPath(url: string): string {
	return lastingUrl(url).replace(/^\/forum\/[^/]+/, '/forum/edit')
}

/** What a question or a comment said before its edits. */
export function historyPath(id: number, of: 'query' | 'comment' = 'query'): string {
	return `/forum/history/${of === 'comment' ? 'comment/' : ''}${id}`
}
