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
	/** Tags of what it is part of: javascript of react. */
	parents: string[]
	/** Tags of what is part of it, at most 6. */
	children: string[]
	/** Whether the viewer follows it. */
	following: boolean
}

/** Addresses of the forum's pages, where the server does not send them. */

export function categoryPath(slug: string): string {
	return `/forum/category/${slug}`
}

export function tagPath(name: string): string {
	return `/forum/tag/${encodeURIComponent(name)}`
}

/** A category as pages and the API see it. */
export function presentCategory(row: { slug: string; title: string; question_count: number }): CategoryView {
	return { slug: row.slug, title: row.title, count: row.question_count }
}

/** A tag of a list. */
export function presentTag(row: { name: string; question_count: number }): TagView {
	return { name: row.name, count: row.question_count }
}
