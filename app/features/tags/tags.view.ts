export interface CategoryView {
	slug: string
	title: string
	count: number
}

export interface TagView {
	name: string
	count: number
}

/** A tag with what its page says of it. */
export interface TagPageView extends TagView {
	id: number
	/** '' when nobody wrote one. */
	description: string
	/** Other spellings, which lead here. */
	synonyms: string[]
	/** Whether the viewer follows it. */
	following: boolean
}

/** Addresses of the forum's pages, where they are not part of what the server tells. */

export function categoryPath(slug: string): string {
	return `/forum/category/${slug}`
}

export function tagPath(name: string): string {
	return `/forum/tag/${encodeURIComponent(name)}`
}

/** A category as pages and the API are told of it. */
export function presentCategory(row: { slug: string; title: string; question_count: number }): CategoryView {
	return { slug: row.slug, title: row.title, count: row.question_count }
}

/** A tag of a list. */
export function presentTag(row: { name: string; question_count: number }): TagView {
	return { name: row.name, count: row.question_count }
}
