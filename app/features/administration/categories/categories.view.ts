import type { CategoryAskers } from '~/features/tags/tags.view.ts'

/* Categories as admins see them. */

/** The category that always exists: it is for everything that fits nowhere else, so it keeps its address and is open to everybody. */
export const FALLBACK_CATEGORY = 'others'

/** Fits beside the others in the forum's menu. */
export const MAX_CATEGORY_TITLE = 40
export const MAX_CATEGORY_SLUG = 40
export const MAX_CATEGORY_DESCRIPTION = 300
/** Tags of which a query there needs one. */
export const MAX_REQUIRED_TAGS = 10
/** More than anybody finds their way in. */
export const MAX_CATEGORIES = 60

export const categoriesPath = '/admin/categories'
export const newCategoryPath = `${categoriesPath}/new`

export function categoryAdminPath(id: number): string {
	return `${categoriesPath}/${id}`
}

export type CategoryAsking = Exclude<CategoryAskers, 'nobody'>

export const askingChoices: readonly { value: CategoryAsking; label: string }[] = [
	{ value: 'everybody', label: 'Every member' },
	{ value: 'verified', label: 'Verified students' },
	{ value: 'staff', label: 'Moderators and admins' },
]

/** A line of the list. */
export interface CategoryLine {
	id: number
	slug: string
	title: string
	/** Published queries. */
	questions: number
	followers: number
	askers: CategoryAskers
}

/** A category with what its page shows. */
export interface CategoryDetail extends CategoryLine {
	description: string
	asking: CategoryAsking
	/** A query there needs one of them, with commas between; '' where any tag will do. */
	requiredTags: string
	version: number
	/** Addresses that lead to it, by name. */
	formerSlugs: string[]
	/** Whether it is the one that always exists. */
	isFallback: boolean
}

/** What a merge would do. */
export interface MergePreview {
	into: { slug: string; title: string }
	/** Queries that move, also those that are not published. */
	questions: number
	followers: number
}
