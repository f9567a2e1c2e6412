/** The edit page of a query whose canonical address is `url`. */

/** How a list is ordered or narrowed: its parameter `view`. */
export type ListView = 'newest' | 'active' | 'unanswered' | 'solved'
export function editPath(url: string): string {
	return url.replace(/^\/forum\/[^/]+/, '/forum/edit')
}

/** What a question or a comment said before its edits. */
export function historyPath(id: number, of: 'query' | 'comment' = 'query'): string {
	return `/forum/history/${of === 'comment' ? 'comment/' : ''}${id}`
}

export function profilePath(username: string): string {
	return `/find-dev/${encodeURIComponent(username)}`
}

/** Whether a path is one of the forum's lists, which share a layout and a loading state. */
export function isListPath(pathname: string): boolean {
	return /^\/forum(\/(category|tag)\/[^/]+)?\/?$/.test(pathname)
}
