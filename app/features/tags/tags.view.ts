import { isModerator, type Viewer } from '~/lib/viewer.ts'

/** Who asks in a category: everybody, verified students, moderators and admins, or, where it is archived, nobody. */
export type CategoryAskers = 'everybody' | 'verified' | 'staff' | 'nobody'

/** What stands on a category's page, where not everybody asks there. */
export const askersSaid: Record<Exclude<CategoryAskers, 'everybody'>, string> = {
	verified: 'Verified students ask here.',
	staff: 'Moderators ask here.',
	nobody: 'Archived: its queries can be read, but nobody can ask here any more.',
}

export interface CategoryView {
	slug: string
	title: string
	count: number
	askers: CategoryAskers
	/** A query there needs one of them; missing where any tag will do. */
	requiredTags?: string[]
}

/** A category with what its page says of it. */
export interface CategoryPageView extends CategoryView {
	/** '' when nobody wrote one. */
	description: string
	/** Whether the viewer follows it. */
	following: boolean
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
	/** Other spellings of this term. */
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
export function presentCategory(row: {
	slug: string
	title: string
	question_count: number
	askers: CategoryAskers
	required_tags: string[]
}): CategoryView {
	const { slug, title, question_count: count, askers, required_tags: requiredTags } = row
	return { slug, title, count, askers, ...(requiredTags.length > 0 && { requiredTags }) }
}

/**
 * The categories that this viewer finds in a form: not the archived ones, nor those of moderators unless they are one. Who is a
 * verified student is not looked up here; the form says which categories ask for it.
 * @param current the one that a question has already, which stays possible
 */
export function categoriesToAskIn(categories: CategoryView[], viewer: Viewer, current = ''): CategoryView[] {
	return categories.filter(
		({ slug, askers }) => slug === current || (askers !== 'nobody' && (askers !== 'staff' || isModerator(viewer))),
	)
}

/**
 * Why somebody may not ask in a category, as a sentence for them; null when they may.
 * @param isVerified whether they are a verified student
 */
export function refusalToAsk(
	{ title, askers }: Pick<CategoryView, 'title' | 'askers'>,
	viewer: Viewer,
	isVerified: boolean,
): string | null {
	if (askers === 'nobody') return `“${title}” is archived. Choose another category.`
	if (askers === 'everybody' || isModerator(viewer)) return null
	if (askers === 'staff') return `Only moderators ask in “${title}”. Choose another category.`
	if (isVerified) return null
	return `Only verified students ask in “${title}”. Confirm your university address in your profile, or choose another category.`
}

/** A tag of a list. */
export function presentTag(row: { name: string; question_count: number }): TagView {
	return { name: row.name, count: row.question_count }
}
