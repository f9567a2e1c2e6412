import { requireMayWrite } from '~/features/accounts/suspension.server.ts'
import { isStorable, storable } from '~/lib/clean.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { dropPages, everyPage } from '~/platform/cache/pages.server.ts'
import { type Input, parseInput } from '~/platform/http/parse.server.ts'
import { MAX_TAG, toTag } from './tags.limits.ts'
import { mayKeepTags } from './tags.policy.ts'
import {
	findCategory,
	findTag,
	isFollowingCategory,
	listCategoryRows,
	listRelatedRows,
	listTagCounts,
	listTagsLike,
	updateDescription,
} from './tags.queries.server.ts'
import { descriptionInput } from './tags.schema.ts'
import { type CategoryView, presentCategory, presentTag, type TagPageView, type TagView } from './tags.view.ts'

/** Tags that a text may be the beginning of, with how many queries each has; none for what can be no tag. */
export async function suggestTags(text: string, limit: number): Promise<TagView[]> {
	const prefix = toTag(text)
	if (prefix === '' || prefix.length > MAX_TAG || !isStorable(prefix)) return []
	const rows = await listTagsLike(prefix, limit)
	return rows.map(presentTag)
}

/** A category and how many queries it has. @throws NotFound */
export async function getCategory(slug: string): Promise<CategoryView & { id: number }> {
	const category = await findCategory(storable(slug))
	if (!category) throw new NotFound('There is no such category.')
	return { id: category.id, ...presentCategory(category) }
}

/** A category with whether the viewer follows it. @throws NotFound */
export async function getCategoryPage(viewer: Viewer, slug: string): Promise<CategoryView & { following: boolean }> {
	const { id, ...category } = await getCategory(slug)
	return { ...category, following: viewer !== null && (await isFollowingCategory(viewer.id, id)) }
}

/** A tag with what its page says of it, by its name or another spelling. @throws NotFound */
export async function getTag(viewer: Viewer, name: string): Promise<TagPageView> {
	const tag = await findTag(storable(name).toLowerCase(), viewer?.id ?? null)
	if (!tag) throw new NotFound('There is no such tag.')
	const { query_count: count, ...rest } = tag
	return { ...rest, count }
}

/** Every category, in the order of the site. */
export async function listCategories(): Promise<CategoryView[]> {
	const rows = await listCategoryRows()
	return rows.map(presentCategory)
}

/** The most used tags. */
export async function listTags(limit: number): Promise<TagView[]> {
	const rows = await listTagCounts(Math.min(limit, 500))
	return rows.map(presentTag)
}

/** The tags that stand most often beside this one, at most `limit`. */
export async function listRelatedTags(tagId: number, limit: number): Promise<TagView[]> {
	const rows = await listRelatedRows(tagId, limit)
	return rows.map(presentTag)
}

/** Says what a tag is about. @throws NotAllowed for all but moderators, NotFound, Invalid */
export async function describeTag(viewer: Viewer, name: string, input: Input): Promise<void> {
	await requireTagKeeper(viewer, 'Only a moderator can describe a tag.')
	const { description } = parseInput(descriptionInput, input)
	if (!(await updateDescription(name, description))) throw new NotFound('There is no such tag.')
	await dropPages([everyPage])
}

/** @throws NotAllowed for all but moderators, and for one who is suspended */
export async function requireTagKeeper(viewer: Viewer, refusal: string): Promise<void> {
	if (!viewer || !mayKeepTags(viewer)) throw new NotAllowed(refusal)
	await requireMayWrite(viewer.id)
}
