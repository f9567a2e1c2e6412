import type { CategoryAskers } from '~/features/tags/tags.view.ts'

/* Categories as admins see them. */

/** The default category, which always exists: it keeps its slug and is open to everybody. */
export const FALLBACK_CATEGORY = 'others'

/** The longest title that fits the forum's menu. */
export const MAX_CATEGORY_TITLE = 40
export const MAX_CATEGORY_SLUG = 40
export const MAX_CATEGORY_DESCRIPTION = 300
/** Required tags of a category; a question there needs one of them. */
export const MAX_REQUIRED_TAGS = 10
/** More would be confusing. */
export const MAX_CATEGORIES = 60

export const categoriesPath = '/admin/categories'
export const newCategoryPath = `${categoriesPath}/new`

/** The page on which admins edit a category. */
export function categoryAdminPath(id: number): string {
	return `${categoriesPath}/${id}`
}

export type AskersChoice = Exclude<CategoryAskers, 'nobody'>

export const askersChoices: readonly { value: AskersChoice; label: string }[] = [
	{ value: 'everybody', label: 'Every member' },
	{ value: 'verified', label: 'Verified students' },
	{ value: 'staff', label: 'Moderators and admins' },
]

/** A line of the list. */
export interface CategorySummary {
	id: number
	slug: string
	title: string
	/** The number of published questions. */
	questions: number
	followers: number
	askers: CategoryAskers
}

/** A category with the data of its page. */
export interface CategoryDetail extends CategorySummary {
	description: string
	asking: AskersChoice
	/** Comma-separated tags, one of which a question needs; '' if any tag will do. */
	requiredTags: string
	version: number
	/** Former slugs, by name. */
	formerSlugs: string[]
	/** Whether it is the default category. */
	isFallback: boolean
}

/** The effect of a merge. */
export interface CategoryMergePreview {
	into: { slug: string; title: string }
	/** The number of questions of any status. */
	questions: number
	followers: number
}
