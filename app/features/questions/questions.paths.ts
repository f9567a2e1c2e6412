import { permalinkOf } from '~/features/search/search.view.ts'

/** The edit page of a question. @param url its canonical address */
export function editPath(url: string): string {
	return permalinkOf(url).replace(/^\/forum\/[^/]+/, '/forum/edit')
}

/** The earlier versions of a question or a comment. */
export function historyPath(id: number, of: 'query' | 'comment' = 'query'): string {
	return `/forum/history/${of === 'comment' ? 'comment/' : ''}${id}`
}
