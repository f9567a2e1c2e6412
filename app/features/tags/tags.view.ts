import { isModerator, type Viewer } from '~/lib/viewer.ts'

/** Who may ask in a category. `nobody`: it is archived. */
export type CategoryAskers = 'everybody' | 'verified' | 'staff' | 'nobody'

/** The notice on the page of a category where not everybody may ask. */
export const askersNotices: Record<Exclude<CategoryAskers, 'everybody'>, string> = {
	verified: 'Verified students ask here.',
	staff: 'Moderators ask here.',
	nobody: 'Archived: its queries can be read, but nobody can ask here any more.',
}

export interface CategoryView {
	slug: string
	title: string
	count: number
	askers: CategoryAskers
	/** Tags of which a question there needs one; missing if any tag will do. */
	requiredTags?: string[]
}

/** A category with the data of its page. */
export interface CategoryPageView extends CategoryView {
	/** '' for none. */
	description: string
	/** Whether the viewer follows it. */
	following: boolean
}

export interface TagView {
	name: string
	count: number
}

/** A tag with the data of its page. */
export interface TagPageView extends TagView {
	id: number
	/** '' for none. */
	description: string
	/** Other spellings of this term. */
	synonyms: string[]
	/** Tags of the parent terms: javascript for react. */
	parents: string[]
	/** Tags of the child terms, at most 6. */
	children: string[]
	/** Whether the viewer follows it. */
	following: boolean
}

/* Addresses of the forum's pages, for code that does not get them from the server. */

/** The list of a category's questions. */
export function categoryPath(slug: string): string {
	return `/forum/category/${slug}`
}

/** The list of the questions with a tag. */
export function tagPath(name: string): string {
	return `/forum/tag/${encodeURIComponent(name)}`
}

/** A category as pages and the API show it. */
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
 * The categories that a form offers this viewer: without archived ones, and without those for staff unless they are. Whether a member is a
 * verified student is not checked here; the form marks those categories.
 * @param current the question's present category, which stays possible
 */
export function categoriesToAskIn(categories: CategoryView[], viewer: Viewer, current = ''): CategoryView[] {
	return categories.filter(
		({ slug, askers }) => slug === current || (askers !== 'nobody' && (askers !== 'staff' || isModerator(viewer))),
	)
}

/** Why a member may not ask in a category, as a sentence; null if they may. @param isVerified whether they are a verified student */
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
