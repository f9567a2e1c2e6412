import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { CATEGORY_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { lockCategories, lockCategoriesShared } from '~/features/tags/tags.queries.server.ts'
import { isId } from '~/lib/checks.ts'
import { Conflict, DecidedAlready, Invalid, NotFound } from '~/lib/errors.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { ALL_PAGES, invalidatePages } from '~/platform/cache/pages.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type Input, parseInput, requireSameAsStored, requireVersion } from '~/platform/http/form.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { lockAdmin } from '../admins.server.ts'
import {
	type CategoryDetailRow,
	countAllQuestions,
	findDetailRow,
	findSlugOwner,
	insertCategory,
	listDetailRows,
	moveQuestionBatch,
	updateCategory,
	writeArchived,
	writeCategoryMerge,
	writeOrder,
} from './categories.queries.server.ts'
import { type CategoryTexts, categoryInput, mergeInput } from './categories.schema.ts'
import { type CategoryDetail, type CategoryMergePreview, FALLBACK_CATEGORY, MAX_CATEGORIES } from './categories.view.ts'

/*
 * Category management. Each action is one transaction that includes its log entry, and blocks writes of questions and
 * categories. All functions throw NotAllowed unless the viewer is an admin who is not suspended, and NotFound for an
 * unknown category.
 */

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Moves the questions of a merged category. */
		'move-merged-category': { from: number }
	}
}

/** Questions per transaction, which blocks their writers for about a tenth of a second. */
const MOVED_AT_ONCE = 500

/** All categories in the site's order. */
export async function listCategoryDetails(viewer: Viewer): Promise<CategoryDetail[]> {
	requireAdmin(viewer)
	return (await listDetailRows()).map(presentDetail)
}

/** A category. @returns the id of another one if it was merged into that */
export async function getCategoryDetail(
	viewer: Viewer,
	id: number,
): Promise<{ category: CategoryDetail; mergedInto: number | null }> {
	requireAdmin(viewer)
	const row = isId(id) ? await findDetailRow(id) : undefined
	if (!row) throw noCategory()
	return { category: presentDetail(row), mergedInto: row.merged_into }
}

/** Adds a category as the last one. @throws Invalid if the name or slug is taken, Conflict if there are too many */
export async function addCategory(viewer: Viewer, input: Input): Promise<{ id: number; title: string }> {
	const texts = parseInput(categoryInput, input)
	const id = await withLockedCategories(viewer, async (trx, actor) => {
		const rows = await listDetailRows(trx)
		if (rows.length >= MAX_CATEGORIES) throw new Conflict(`A site has at most ${MAX_CATEGORIES} categories.`)
		await requireFree(trx, rows, 0, texts)
		const added = await insertCategory(trx, texts)
		await record(trx, actor, { id: added, title: texts.title }, 'add a category')
		return added
	})
	return { id, title: texts.title }
}

/**
 * Saves name, slug, description and who may ask. The former slug redirects for ever.
 * @param input with the `version` that the form is based on
 * @throws Invalid, EditConflict if another admin saved first
 */
export async function saveCategory(viewer: Viewer, id: number, input: Input): Promise<{ title: string }> {
	const texts = parseInput(categoryInput, input)
	const version = requireVersion(input)
	await withLockedCategories(viewer, async (trx, actor) => {
		const before = await requireRow(trx, id)
		if (before.version !== version) {
			const { title, slug, description, asking, required_tags } = before
			const values = { title, slug, description, asking, requiredTags: required_tags.join(', ') }
			return requireSameAsStored(
				{ version: before.version, values },
				{ ...texts, requiredTags: texts.requiredTags.join(', ') },
			)
		}
		requireFallbackKept(before, texts)
		await requireFree(trx, await listDetailRows(trx), id, texts)
		await updateCategory(trx, before, texts)
		await record(trx, actor, { id, title: texts.title }, 'change a category', changesOf(before, texts))
	})
	return { title: texts.title }
}

function requireFallbackKept(before: CategoryDetailRow, texts: CategoryTexts): void {
	if (before.slug !== FALLBACK_CATEGORY) return
	const refuse = (field: string, what: string) => {
		const message = `${what}: it is for everything that fits nowhere else.`
		throw new Invalid(message, { [field]: message })
	}
	if (texts.slug !== before.slug) refuse('slug', 'This category keeps its address')
	if (texts.requiredTags.length > 0) refuse('requiredTags', 'This category takes any tag')
	if (texts.asking !== 'everybody') refuse('asking', 'This category is open to every member')
}

/** @throws Invalid if the name or slug belongs to another category, or did before */
async function requireFree(
	trx: Executor,
	rows: CategoryDetailRow[],
	id: number,
	{ title, slug }: CategoryTexts,
): Promise<void> {
	const namesake = rows.find((row) => row.id !== id && row.title.toLowerCase() === title.toLowerCase())
	if (namesake) throw fieldRefusal('title', `There is already a category called “${namesake.title}”.`)
	const owner = await findSlugOwner(trx, slug)
	if (!owner || (owner.id === id && owner.how !== 'merged')) return
	throw fieldRefusal(
		'slug',
		owner.how === 'current'
			? `“${owner.title}” has this address. Choose another one.`
			: `This address permanently redirects to “${owner.title}”. Choose another one.`,
	)
}

function changesOf(
	before: CategoryDetailRow,
	{ title, slug, description, asking, requiredTags }: CategoryTexts,
): string {
	const changes = [
		before.title !== title && `“${before.title}” → “${title}”`,
		before.slug !== slug && `${before.slug} → ${slug}`,
		before.description !== description && 'description',
		before.required_tags.join() !== requiredTags.join() && `required tags: ${requiredTags.join(', ') || 'none'}`,
		before.asking !== asking && `asking: ${before.asking} → ${asking}`,
	]
	return changes.filter(Boolean).join(', ')
}

/** Moves a category one place up or down; does nothing at the end of the list. */
export async function moveCategory(viewer: Viewer, id: number, direction: 'up' | 'down'): Promise<void> {
	await withLockedCategories(viewer, async (trx, actor) => {
		const category = await requireRow(trx, id)
		const rows = await listDetailRows(trx)
		const from = rows.findIndex((row) => row.id === id)
		const to = direction === 'up' ? from - 1 : from + 1
		const other = rows[to]
		if (!other || (other.askers === 'nobody') !== (category.askers === 'nobody')) return
		const ids = rows.map((row) => row.id)
		ids[from] = other.id
		ids[to] = id
		await writeOrder(trx, ids)
		await record(trx, actor, category, `move ${direction}`)
	})
}

/** Archives a category, so that nobody may ask there, or reopens it. @throws Conflict if somebody has just done the same */
export async function archiveCategory(viewer: Viewer, id: number, isArchived: boolean): Promise<void> {
	await withLockedCategories(viewer, async (trx, actor) => {
		const category = await requireRow(trx, id)
		if (category.slug === FALLBACK_CATEGORY) throw new Conflict(fallbackStays)
		if ((category.askers === 'nobody') === isArchived) throw new DecidedAlready()
		await writeArchived(trx, id, isArchived)
		await record(trx, actor, category, isArchived ? 'archive' : 'reopen')
	})
}

/** The effect of a merge. Changes nothing. @throws as {@link mergeCategory} */
export async function previewCategoryMerge(viewer: Viewer, id: number, input: Input): Promise<CategoryMergePreview> {
	requireAdmin(viewer)
	const { category, into } = await requireMergeable(db(), id, input)
	const questions = await countAllQuestions(db(), id)
	return { into: { slug: into.slug, title: into.title }, questions, followers: category.followers }
}

/**
 * Merges a category into another one: its slugs redirect and its followers move at once, and a job moves its questions.
 * @param input into: slug of the other one
 * @returns the other one
 * @throws Invalid, Conflict
 */
export async function mergeCategory(viewer: Viewer, id: number, input: Input): Promise<{ id: number; title: string }> {
	const into = await withLockedCategories(viewer, async (trx, actor) => {
		const found = await requireMergeable(trx, id, input)
		await writeCategoryMerge(trx, found.category, found.into.id)
		await addJob('move-merged-category', { from: id }, trx)
		const note = `into “${found.into.title}”, ${pluralize(await countAllQuestions(trx, id), 'query', 'queries')}`
		await record(trx, actor, found.category, 'merge', note)
		return found.into
	})
	return { id: into.id, title: into.title }
}

async function requireMergeable(
	executor: Executor,
	id: number,
	input: Input,
): Promise<{ category: CategoryDetailRow; into: CategoryDetailRow }> {
	const category = await requireRow(executor, id)
	if (category.slug === FALLBACK_CATEGORY) throw new Conflict(fallbackStays)
	const { into: slug } = parseInput(mergeInput, input)
	const into = (await listDetailRows(executor)).find((row) => row.slug === slug)
	if (!into) throw fieldRefusal('into', 'There is no such category.')
	if (into.id === id) throw fieldRefusal('into', 'Choose a category other than this one.')
	if (into.askers === 'nobody') throw fieldRefusal('into', `“${into.title}” is archived. Reopen it first.`)
	return { category, into }
}

/** Moves all questions of a merged category in batches. Calling it again resumes an interrupted move. */
export async function moveMergedQuestions(from: number): Promise<void> {
	let after: number | null = 0
	while (after !== null) {
		const last: number = after
		after = await db()
			.transaction()
			.execute(async (trx) => {
				// Prevents the target from being merged while questions move there.
				await lockCategoriesShared(trx)
				return moveQuestionBatch(trx, from, last, MOVED_AT_ONCE)
			})
	}
	await invalidatePages([ALL_PAGES])
}

/** Locks the categories before the admin's row, in the order of asking. */
async function withLockedCategories<Result>(
	viewer: Viewer,
	work: (trx: Executor, actor: SignedIn) => Promise<Result>,
): Promise<Result> {
	const actor = requireAdmin(viewer)
	const result = await db()
		.transaction()
		.execute(async (trx) => {
			await lockCategories(trx)
			await lockAdmin(trx, actor)
			return work(trx, actor)
		})
	await invalidatePages([ALL_PAGES])
	return result
}

/** Finds a category that was not merged. */
async function requireRow(executor: Executor, id: number): Promise<CategoryDetailRow> {
	const row = isId(id) ? await findDetailRow(id, executor) : undefined
	if (!row) throw noCategory()
	if (row.merged_into !== null) throw new DecidedAlready()
	return row
}

async function record(
	trx: Executor,
	actor: SignedIn,
	{ id, title }: { id: number; title: string },
	act: string,
	note = '',
): Promise<void> {
	await addLogRow(trx, {
		actorId: actor.id,
		act,
		kind: CATEGORY_SUBJECT,
		targetId: id,
		memberId: actor.id,
		title,
		note,
	})
}

const fallbackStays = 'This category is for everything that fits nowhere else, so it cannot be removed.'
function noCategory(): NotFound {
	return new NotFound('There is no such category.')
}

function fieldRefusal(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}

function presentDetail(row: CategoryDetailRow): CategoryDetail {
	const { id, slug, title, questions, followers, askers, description, asking, version, former_slugs } = row
	const shown = { id, slug, title, questions, followers, askers, description, asking, version }
	return {
		...shown,
		requiredTags: row.required_tags.join(', '),
		formerSlugs: former_slugs,
		isFallback: slug === FALLBACK_CATEGORY,
	}
}
