/** The edit page of a query whose canonical address is `url`. */
export function editPath(url: string): string {
	return url.replace(/^\/forum\/[^/]+/, '/forum/edit')
}

/** What a question or a comment said before its edits. */
export function historyPath(id: number, of: 'query' | 'comment' = 'query'): string {
	return `/forum/history/${of === 'comment' ? 'comment/' : ''}${id}`
}
