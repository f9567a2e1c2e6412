/** The canonical address of a query. */
export function queryUrl(query: { id: number; username: string; category_slug: string }): string {
	return `/forum/${query.category_slug}/${query.username}/${query.id}`
}

/** The address that leads to one comment wherever it is to be seen. */
export function commentPath(id: number): string {
	return `/forum/comment/${id}`
}
