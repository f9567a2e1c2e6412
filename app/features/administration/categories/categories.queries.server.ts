import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { CategoryTexts } from './categories.schema.ts'
import type { AskersChoice, CategorySummary } from './categories.view.ts'

export interface CategoryDetailRow extends CategorySummary {
	description: string
	asking: AskersChoice
	version: number
	merged_into: number | null
	required_tags: string[]
	former_slugs: string[]
}

const columns = sql`c.id, c.slug, c.title, c.question_count as questions, c.description, c.asking, c.version, c.merged_into, c.required_tags,
	case when c.archived_at is null then c.asking else 'nobody' end as askers,
	(select count(*)::int from follows where category_id = c.id) as followers,
	array(select slug from former_slugs where category_id = c.id
		union all select slug from categories where merged_into = c.id order by slug) as former_slugs`

/** All categories that were not merged, in the site's order, archived ones last. */
export async function listDetailRows(executor: Executor = db()): Promise<CategoryDetailRow[]> {
	const { rows } = await sql<CategoryDetailRow>`
		select ${columns} from categories c where merged_into is null
		order by archived_at is not null, position, title`.execute(executor)
	return rows
}

/** A category with its settings and counters, including merged ones. */
export async function findDetailRow(id: number, executor: Executor = db()): Promise<CategoryDetailRow | undefined> {
	const { rows } = await sql<CategoryDetailRow>`select ${columns} from categories c where id = ${id}`.execute(executor)
	return rows[0]
}

export interface SlugOwner {
	id: number
	title: string
	/** `current`, or why it redirects: `former` for a former slug, `merged` for one of a merged category. */
	how: 'current' | 'former' | 'merged'
}

/** The category of a slug; undefined if it is free. */
export async function findSlugOwner(trx: Executor, slug: string): Promise<SlugOwner | undefined> {
	const { rows } = await sql<SlugOwner>`
		select c.id, c.title, case when c.slug = ${slug} then 'current'
			when exists (select from categories where slug = ${slug}) then 'merged' else 'former' end as how
		from categories c where c.id = category_at(${slug})`.execute(trx)
	return rows[0]
}

/** Adds a category as the last one that is not archived. @returns its id */
export async function insertCategory(trx: Executor, texts: CategoryTexts): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		insert into categories (slug, title, description, asking, required_tags, position)
		select ${texts.slug}, ${texts.title}, ${texts.description}, ${texts.asking}, ${texts.requiredTags}::text[], coalesce(max(position), 0) + 1 from categories
		returning id`.execute(trx)
	if (!rows[0]) throw new Error('The category was not added.')
	return rows[0].id
}

/** Saves a category. A former slug redirects to it, also in forms that members have open. */
export async function updateCategory(
	trx: Executor,
	{ id, slug }: { id: number; slug: string },
	texts: CategoryTexts,
): Promise<void> {
	if (texts.slug !== slug) {
		await trx.deleteFrom('former_slugs').where('slug', '=', texts.slug).where('category_id', '=', id).execute()
		await sql`update drafts set category = ${texts.slug} where category = ${slug}`.execute(trx)
	}
	await sql`
		update categories set slug = ${texts.slug}, title = ${texts.title}, description = ${texts.description}, asking = ${texts.asking},
			required_tags = ${texts.requiredTags}::text[], version = version + 1 where id = ${id}`.execute(trx)
	if (texts.slug !== slug) await trx.insertInto('former_slugs').values({ slug, category_id: id }).execute()
}

/** Sets the order of the categories. */
export async function writeOrder(trx: Executor, ids: number[]): Promise<void> {
	await sql`
		with held as (select id from categories where id = any(${ids}::int[]) order by id for no key update)
		update categories set position = ordered.place from unnest(${ids}::int[]) with ordinality as ordered (id, place)
		where categories.id = ordered.id and ordered.id in (select id from held)`.execute(trx)
}

/** Archives or reopens a category. */
export async function writeArchived(trx: Executor, id: number, isArchived: boolean): Promise<void> {
	await sql`
		update categories set archived_at = ${isArchived ? sql`now()` : null}, version = version + 1 where id = ${id}`.execute(
		trx,
	)
}

/** Redirects a category, and those merged into it before, to another one, and moves its followers. */
export async function writeCategoryMerge(
	trx: Executor,
	{ id, slug }: { id: number; slug: string },
	into: number,
): Promise<void> {
	await sql`
		with held as (select id from categories where id in (${id}, ${into}) or merged_into = ${id} order by id for no key update)
		update categories set merged_into = ${into}, version = version + 1
		where id in (select id from held) and (id = ${id} or merged_into = ${id})`.execute(trx)
	await sql`update former_slugs set category_id = ${into} where category_id = ${id}`.execute(trx)
	// Imports with its tags now select the other category.
	await sql`
		update categories set tags = array(select distinct unnest(categories.tags || gone.tags) order by 1)
		from categories gone where gone.id = ${id} and categories.id = ${into}`.execute(trx)
	await sql`
		insert into follows (user_id, category_id, followed_at)
		select user_id, ${into}, followed_at from follows where category_id = ${id} on conflict do nothing`.execute(trx)
	await sql`delete from follows where category_id = ${id}`.execute(trx)
	await sql`
		update drafts set category = (select slug from categories where id = ${into}) where category = ${slug}`.execute(trx)
}

/** Counts a category's questions of any status. */
export async function countAllQuestions(executor: Executor, id: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from questions where category_id = ${id}`.execute(executor)
	return rows[0]?.count ?? 0
}

/**
 * Moves a batch of questions from a merged category, in the lock order of all writers: questions by id, then categories by id.
 * @param after the last id of the previous batch
 * @returns the last moved id; null if none is left, or the category was not merged
 */
export async function moveQuestionBatch(
	trx: Executor,
	from: number,
	after: number,
	limit: number,
): Promise<number | null> {
	const merged = await trx.selectFrom('categories').select('merged_into').where('id', '=', from).executeTakeFirst()
	const into = merged?.merged_into ?? null
	if (into === null) return null
	const { rows } = await sql<{ id: number; published: boolean }>`
		select id, status = 'published' as published from questions where category_id = ${from} and id > ${after}
		order by id limit ${limit} for no key update`.execute(trx)
	const last = rows.at(-1)
	if (!last) return null
	const ids = rows.map(({ id }) => id)
	const published = rows.filter((row) => row.published).length
	await sql`update questions set category_id = ${into} where id = any(${ids}::int[])`.execute(trx)
	await sql`
		with held as (select id from categories where id in (${from}, ${into}) order by id for no key update)
		update categories set question_count = question_count + case categories.id when ${from} then -${published}::int else ${published}::int end
		from held where categories.id = held.id`.execute(trx)
	return last.id
}
