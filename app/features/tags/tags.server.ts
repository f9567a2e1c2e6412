import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { findCampus } from '~/features/campus/campus.queries.server.ts'
import { isCampusVerified } from '~/features/campus/campus.view.ts'
import { lockModerator } from '~/features/moderation/members.server.ts'
import { listTermsOfWords, lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { findTerm, matchTerms, relativesOf } from '~/features/terms/terms.server.ts'
import { matchRanks, type Term } from '~/features/terms/terms.view.ts'
import { describeTerm, linkSynonym, unlinkSynonym } from '~/features/vocabulary/acts.server.ts'
import { isStorable, storable } from '~/lib/clean.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import {
	ALL_PAGES,
	invalidatePages,
	LIST_PAGES,
	sharedData,
	sharedWhenRepeated,
} from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { requireTags, tagsReservedFrom } from './tag-rules.server.ts'
import { MAX_TAG, normalizeTag } from './tags.limits.ts'
import {
	type CategoryRow,
	findCategory,
	findTag,
	isFollowingCategory,
	listCategoryRows,
	listRelatedRows,
	listSynonymRows,
	listTagCounts,
	listTagsLike,
	listTagsLikeEach,
	lockCategoriesShared,
	type TagsLike,
	updateDescription,
} from './tags.queries.server.ts'
import { descriptionInput, synonymInput } from './tags.schema.ts'
import {
	type CategoryPageView,
	type CategoryView,
	presentCategory,
	presentTag,
	refusalToAsk,
	type TagPageView,
	type TagView,
} from './tags.view.ts'

/** A suggested tag, with the reason if it does not start with the input. */
export interface TagSuggestion extends TagView {
	/** Whether it is a parent of the tag that was typed, suggested in addition. */
	isRelated: boolean
}

/** Suggests tags for a prefix, with their numbers of questions; none for an invalid prefix. */
export async function suggestTags(text: string, limit: number): Promise<TagSuggestion[]> {
	const asked = askedFor(text, limit)
	return asked ? presentSuggestions(asked, await listTagsLike(asked)) : []
}

/** {@link suggestTags} for several texts. */
export async function suggestTagsForEach(
	texts: readonly { text: string; limit: number }[],
): Promise<TagSuggestion[][]> {
	const all = texts.map(({ text, limit }) => askedFor(text, limit))
	const asked = all.filter((one) => one !== null)
	const key = JSON.stringify(asked.map(({ prefix, limit, names }) => [prefix, limit, names]))
	const found = await sharedWhenRepeated(`tags like ${key}`, [LIST_PAGES], () => listTagsLikeEach(asked))
	const rows = new Map(found.map((tags, index) => [asked[index], tags]))
	return all.map((one) => (one ? presentSuggestions(one, rows.get(one) ?? []) : []))
}

type SuggestionsAsked = TagsLike & { terms: ReturnType<typeof matchTerms> }

function askedFor(text: string, limit: number): SuggestionsAsked | null {
	const prefix = normalizeTag(text)
	if (prefix === '' || prefix.length > MAX_TAG || !isStorable(prefix)) return null
	const terms = matchTerms(prefix).slice(0, 5 * limit)
	return { prefix, limit, terms, names: terms.map(({ term }) => term.tag) }
}

function presentSuggestions(
	{ terms, limit }: SuggestionsAsked,
	rows: { name: string; question_count: number }[],
): TagSuggestion[] {
	const counts = new Map(rows.map(({ name, question_count }) => [name, question_count]))
	const found = new Map(terms.map(({ term, rank }) => [term.tag, rank]))
	for (const { name } of rows) if (!found.has(name)) found.set(name, matchRanks.begins)
	return [...found]
		.map(([name, rank]) => ({ name, rank, count: counts.get(name) ?? 0 }))
		.sort((one, other) => one.rank - other.rank || other.count - one.count)
		.slice(0, limit)
		.map(({ name, rank, count }) => ({ name, count, isRelated: rank === matchRanks.related }))
}

/** Like {@link suggestTags}, without tags that this viewer may not set. */
export async function suggestTagsFor(viewer: Viewer, text: string, limit: number): Promise<TagSuggestion[]> {
	const reserved = new Set(tagsReservedFrom(viewer).map((tag) => findTerm(tag)?.tag ?? tag))
	const found = await suggestTags(text, limit + reserved.size)
	return found.filter(({ name }) => !reserved.has(name)).slice(0, limit)
}

/** A category with its number of questions, by its present or a former slug. @throws NotFound */
export async function getCategory(slug: string): Promise<CategoryView & { id: number; description: string }> {
	const stored = storable(slug)
	const category = await sharedData(`category ${stored}`, [LIST_PAGES], () => findCategory(stored))
	if (!category) throw new NotFound('There is no such category.')
	return { id: category.id, description: category.description, ...presentCategory(category) }
}

/** A category with whether the viewer follows it. @throws NotFound */
export async function getCategoryPage(viewer: Viewer, slug: string): Promise<CategoryPageView> {
	const { id, ...category } = await getCategory(slug)
	return { ...category, following: viewer !== null && (await isFollowingCategory(viewer.id, id)) }
}

/** A tag with the data of its page, by its name or another spelling. @throws NotFound */
export async function getTag(viewer: Viewer, name: string): Promise<TagPageView> {
	const tag = await findTag(storable(name).toLowerCase(), viewer?.id ?? null)
	if (!tag) throw new NotFound('There is no such tag.')
	const { question_count: count, term_id, ...rest } = tag
	const { parents, children } = term_id === null ? { parents: [], children: [] } : relativesOf(tag.name)
	const names = (terms: Term[]) => terms.slice(0, MAX_RELATIVES).map((term) => term.tag)
	return { ...rest, count, parents: names(parents), children: names(children) }
}

/** Parent and child terms shown with a tag. */
const MAX_RELATIVES = 6

/**
 * The category that a question is written to. In a transaction, it also prevents changes of categories until the end.
 * @param slug present or former
 * @param options.current slug of the question's present category, which it may keep regardless of who may ask there
 * @param options.tags the question's tags, as `mainTags` returns them; only in a transaction
 * @param options.before its previous tags
 * @param options.isPseudonymous whether the author is hidden; a category where only their role lets them ask would reveal part of it
 * @throws Invalid if there is none, the member may not ask there, or the tags break its rules
 */
export async function requireCategory(
	viewer: SignedIn,
	slug: string,
	{ trx, current = '', isPseudonymous = false, tags, before = [] }: PlaceOptions = {},
): Promise<{ categoryId: number; slug: string }> {
	const [, found] = await Promise.all([trx && lockCategoriesShared(trx), findCategory(storable(slug), trx)])
	if (!found) throw new Invalid('Category field is required!', { category: 'Category field is required!' })
	const isKept = found.slug === current
	const refusal = isKept
		? null
		: ((await refusalIn(found, viewer, trx)) ?? (isPseudonymous ? await refusalOfPseudonym(found, viewer, trx) : null))
	if (refusal) throw new Invalid(refusal, { category: refusal })
	if (trx && tags)
		await requireTags(
			viewer,
			{ tags, category: found, before: isKept ? before : null, had: before, isPseudonymous },
			{ trx, meantIn: resolveTags },
		)
	return { categoryId: found.id, slug: found.slug }
}

interface PlaceOptions {
	trx?: Executor
	current?: string
	isPseudonymous?: boolean
	tags?: string[]
	before?: string[]
}

/** For a member who may ask in a category: null unless they need their role for it. */
async function refusalOfPseudonym(category: CategoryRow, viewer: SignedIn, trx?: Executor): Promise<string | null> {
	if ((await refusalIn(category, { ...viewer, role: 'member' }, trx)) === null) return null
	const who = category.askers === 'staff' ? 'moderators' : 'verified students and moderators'
	return `Only ${who} ask in “${category.title}”, so a pseudonym there would say that you are a moderator. Choose another category, or ask under your name.`
}

async function refusalIn(category: CategoryRow, viewer: SignedIn, trx?: Executor): Promise<string | null> {
	const campus = category.askers === 'verified' ? await findCampus(viewer.id, trx) : undefined
	return refusalToAsk(category, viewer, campus !== undefined && isCampusVerified(campus, Date.now()))
}

/** All categories in the site's order, archived ones last. */
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

/** The tags most often used together with this one, at most `limit`. */
export async function listRelatedTags(tagId: number, limit: number): Promise<TagView[]> {
	const rows = await sharedData(`related ${tagId} ${limit}`, [LIST_PAGES], () => listRelatedRows(tagId, limit))
	return rows.map(presentTag)
}

/** Sets the description of a tag. @throws NotAllowed for all but moderators, NotFound, Invalid */
export async function describeTag(viewer: Viewer, name: string, input: Input): Promise<void> {
	const editor = await requireTagEditor(viewer, 'Only moderators can describe a tag.')
	const { description } = parseInput(descriptionInput, input)
	const tag = await findTag(storable(name).toLowerCase(), null)
	if (!tag) throw new NotFound('There is no such tag.')
	if (tag.term_id !== null) return describeTerm(viewer, tag.term_id, description)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockModerator(trx, editor)
			await updateDescription(trx, tag.name, description)
		})
	await invalidatePages([ALL_PAGES])
}

/** @throws NotAllowed for all but moderators, and for a suspended one */
async function requireTagEditor(viewer: Viewer, refusal: string): Promise<SignedIn> {
	if (!viewer || !mayEditTags(viewer)) throw new NotAllowed(refusal)
	await requireMayWrite(viewer.id)
	return viewer
}

/**
 * Replaces synonyms by their main tags, in the transaction that writes the question: js becomes javascript.
 * @returns distinct tags, in the given order
 */
export async function mainTags(trx: Executor, tags: string[]): Promise<string[]> {
	const [mainTag] = await mainTagsOfAll(trx, [tags])
	return mainTag ?? tags
}

/** Like {@link mainTags}, for the tags of many questions. */
export async function mainTagsOfAll(trx: Executor, lists: string[][]): Promise<string[][]> {
	const [, main] = await Promise.all([lockTermsShared(trx), resolveTags(trx, lists)])
	return main
}

/** Like {@link mainTagsOfAll}, for readers: without a lock. */
export async function resolveTags(trx: Executor, lists: string[][]): Promise<string[][]> {
	const meant = await listTermsOfWords(trx, [...new Set(lists.flat())])
	return lists.map((tags) => [...new Set(tags.map((tag) => meant.get(tag)?.tag ?? tag))])
}

/**
 * Makes a tag a synonym of another one and moves its questions, as a change of the vocabulary.
 * @param input name: the synonym, main: the main tag
 * @throws NotAllowed for all but moderators, Invalid, Conflict if the main tag is itself a synonym of this one
 */
export async function addSynonym(viewer: Viewer, input: Input): Promise<{ name: string; main: string }> {
	await requireTagEditor(viewer, 'Only moderators can merge tags.')
	const { name, main } = parseInput(synonymInput, input)
	return { name, main: await linkSynonym(viewer, { word: name, into: main }) }
}

/** Makes a synonym a tag of its own again; questions stay where they are. @throws NotAllowed, NotFound */
export async function removeSynonym(viewer: Viewer, name: string): Promise<void> {
	await requireTagEditor(viewer, 'Only moderators can separate tags.')
	await unlinkSynonym(viewer, storable(name))
}

const MAX_SYNONYMS = 5_000

/**
 * The synonyms by main tag, for members who may change them; at most 5,000.
 * @param isOwn only those added by moderators of this site
 * @throws NotAllowed
 */
export async function listSynonyms(
	viewer: Viewer,
	{ isOwn = false } = {},
): Promise<{ main: string; names: string[] }[]> {
	if (!mayEditTags(viewer)) throw new NotAllowed('Only moderators can see this.')
	return listSynonymRows(MAX_SYNONYMS, isOwn)
}

/** Whether this viewer may edit descriptions and synonyms. */
export function mayEditTags(viewer: Viewer): boolean {
	return isModerator(viewer)
}
