import type { CommentSort } from './question.view.ts'

/** Addresses of the forum's pages, where they are not part of what the server tells. */

export function categoryPath(slug: string): string {
	return `/forum/category/${slug}`
}

export function tagPath(name: string): string {
	return `/forum/tag/${encodeURIComponent(name)}`
}

/** The edit page of a query whose canonical address is `url`. */
export function editPath(url: string): string {
	return url.replace(/^\/forum\/[^/]+/, '/forum/edit')
}

/** What a query or a comment said before its edits. */
export function historyPath(id: number, of: 'query' | 'comment' = 'query'): string {
	return `/forum/history/${of === 'comment' ? 'comment/' : ''}${id}`
}

/** The address that leads to one comment wherever it is to be seen. */
export function commentPath(id: number): string {
	return `/forum/comment/${id}`
}

export function profilePath(username: string): string {
	return `/find-dev/${encodeURIComponent(username)}`
}

/** The login page, which leads back to `to` afterwards. */
export function loginPath(to: string): string {
	return `/login?redirectTo=${encodeURIComponent(to)}`
}

/** Whether a path is one of the forum's lists, which share a layout and a loading state. */
export function isListPath(pathname: string): boolean {
	return /^\/forum(\/(category|tag)\/[^/]+)?\/?$/.test(pathname)
}

/** An address with the parameters that have a value. */
export function withParams(pathname: string, params: Record<string, string | number | null | undefined>): string {
	const search = new URLSearchParams()
	for (const [name, value] of Object.entries(params)) if (value) search.set(name, String(value))
	return search.size > 0 ? `${pathname}?${search}` : pathname
}

/** The order of comments as addresses name it: the usual one is not named. */
export function sortParam(sort: CommentSort): string | null {
	return sort === 'oldest' ? null : sort
}
