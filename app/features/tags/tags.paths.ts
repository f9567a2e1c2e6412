/** Addresses of the forum's pages, where they are not part of what the server tells. */

export function categoryPath(slug: string): string {
	return `/forum/category/${slug}`
}

export function tagPath(name: string): string {
	return `/forum/tag/${encodeURIComponent(name)}`
}
