import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { isStorable, storable } from '~/lib/clean.ts'
import { Conflict, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isModerator, type Viewer } from '~/lib/viewer.ts'
import { dropPages, everyPage, LIST_PAGES, sharedData } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { MAX_TAG, toTag } from './tags.limits.ts'
import {
	deleteSynonym,
	findCategory,
	findMain,
	findTag,
	holdSynonyms,
	insertSynonym,
	isFollowingCategory,
	listCategoryRows,
	listMains,
	listRelatedRows,
	listSynonymRows,
	listTagCounts,
	listTagsLike,
	listUnmoved,
	lockSynonyms,
	moveQuestions,
	updateDescription,
} from './tags.queries.server.ts'
import { descriptionInput, synonymInput } from './tags.schema.ts'
import { type CategoryView, presentCategory, presentTag, type TagPageView, type TagView } from './tags.view.ts'

/** Tags that a text may be the beginning of, with how many questions each has; none for what can be no tag. */
export async function suggestTags(text: string, limit: number): Promise<TagView[]> {
	const prefix = toTag(text)
	if (prefix === '' || prefix.length > MAX_TAG || !isStorable(prefix)) return []
	const rows = await listTagsLike(prefix, limit)
	return rows.map(presentTag)
}

/** A category and how many questions it has. @throws NotFound */
export async function getCategory(slug: string): Promise<CategoryView & { id: number }> {
	const stored = storable(slug)
	const category = await sharedData(`category ${stored}`, [LIST_PAGES], () => findCategory(stored))
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
	const { question_count: count, ...rest } = tag
	return { ...rest, count }
}

/** Every category, in the order of the site. */
export async function listCategories(): Promise<CategoryView[]> {
	const rows = await sharedData('categories', [LIST_PAGES], () => listCategoryRows())
	return rows.map(presentCategory)
}

/** The most used tags. */
export async function listTags(limit: number): Promise<TagView[]> {
	const shown = Math.min(limit, 500)
	const rows = await sharedData(`tags ${shown}`, [LIST_PAGES], () => listTagCounts(shown))
	return rows.map(presentTag)
}

/** The tags that stand most often beside this one, at most `limit`. */
export async function listRelatedTags(tagId: number, limit: number): Promise<TagView[]> {
	const rows = await sharedData(`related ${tagId} ${limit}`, [LIST_PAGES], () => listRelatedRows(tagId, limit))
	return rows.map(presentTag)
}

/** Says what a tag is about. @throws NotAllowed for all but moderators, NotFound, Invalid */
export async function describeTag(viewer: Viewer, name: string, input: Input): Promise<void> {
	await requireTagEditor(viewer, 'Only moderators can describe a tag.')
	const { description } = parseInput(descriptionInput, input)
	if (!(await updateDescription(name, description))) throw new NotFound('There is no such tag.')
	await dropPages([everyPage])
}

/** @throws NotAllowed for all but moderators, and for one who is suspended */
async function requireTagEditor(viewer: Viewer, refusal: string): Promise<void> {
	if (!viewer || !mayEditTags(viewer)) throw new NotAllowed(refusal)
	await requireMayWrite(viewer.id)
}

/** So many questions change their tag in one transaction: nobody who edits one of them waits long. */
const batch = 200

/**
 * Tags as they are stored: js is written, javascript is stored. For the transaction that writes the query.
 * @returns the main tags in the order given, each once
 */
export async function mainTags(trx: Executor, tags: string[]): Promise<string[]> {
	const [mainTag] = await mainTagsOfAll(trx, [tags])
	return mainTag ?? tags
}

/** As {@link mainTags}, for the tags of many questions. */
export async function mainTagsOfAll(trx: Executor, lists: string[][]): Promise<string[][]> {
	await holdSynonyms(trx)
	return meantTags(trx, lists)
}

/** As {@link mainTagsOfAll}, for somebody who reads. */
export async function meantTags(trx: Executor, lists: string[][]): Promise<string[][]> {
	const mains = await listMains(trx, [...new Set(lists.flat())])
	return lists.map((tags) => [...new Set(tags.map((tag) => mains.get(tag) ?? tag))])
}

/**
 * Keeps one tag as another from now on, and moves its questions there in batches. What an interruption leaves behind is
 * moved by {@link moveSynonyms}, or by adding the same synonym again.
 * @param input name: the spelling, main: the tag it is stored as
 * @throws NotAllowed for all but moderators, Invalid, Conflict when the main tag is stored as this very one
 */
export async function addSynonym(viewer: Viewer, input: Input): Promise<{ name: string; main: string }> {
	await requireTagEditor(viewer, 'Only moderators can merge tags.')
	const { name, main: wanted } = parseInput(synonymInput, input)
	const main = await db()
		.transaction()
		.execute(async (trx) => {
			await lockSynonyms(trx)
			const mainTag = (await findMain(trx, wanted)) ?? wanted
			if (mainTag === name) throw new Conflict(`#${wanted} is already a synonym of #${name}. Remove that first.`)
			await insertSynonym(trx, name, mainTag)
			return mainTag
		})
	await move(name, main)
	return { name, main }
}

/** Makes a synonym a tag of its own again; questions stay where they are. @throws NotAllowed, NotFound */
export async function removeSynonym(viewer: Viewer, name: string): Promise<void> {
	await requireTagEditor(viewer, 'Only moderators can separate tags.')
	if (!(await deleteSynonym(name))) throw new NotFound('There is no such synonym.')
	await dropPages([everyPage])
}

/** The synonyms by main tag, for those who may change them; at most 1,000. @throws NotAllowed */
export async function listSynonyms(viewer: Viewer): Promise<{ main: string; names: string[] }[]> {
	if (!mayEditTags(viewer)) throw new NotAllowed('Only moderators can see this.')
	return listSynonymRows(1_000)
}

/** Ends what an interrupted {@link addSynonym} began. Called every hour. */
export async function moveSynonyms(): Promise<void> {
	for (const { name, main } of await listUnmoved()) await move(name, main)
}

async function move(name: string, main: string): Promise<void> {
	let moved = batch
	while (moved === batch)
		moved = await db()
			.transaction()
			.execute((trx) => moveQuestions(trx, name, main, batch))
	await dropPages([everyPage])
}

/** Whether this viewer describes tags and joins those that mean the same. */
export function mayEditTags(viewer: Viewer): boolean {
	return isModerator(viewer)
}
