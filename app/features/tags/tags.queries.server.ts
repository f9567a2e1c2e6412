import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Used tags that begin with `prefix` (lower case), the most used first. */
export function listTagsLike(prefix: string, limit: number): Promise<{ name: string; query_count: number }[]> {
	return db()
		.selectFrom('tags')
		.select(['name', 'query_count'])
		.where('name', 'like', `${prefix.replace(/[\\%_]/g, '\\$&')}%`)
		.where('query_count', '>', 0)
		.orderBy('query_count', 'desc')
		.orderBy('name')
		.limit(limit)
		.execute()
}

export interface CategoryRow {
	id: number
	slug: string
	title: string
	query_count: number
}

export function listCategoryRows(): Promise<CategoryRow[]> {
	return db()
		.selectFrom('categories')
		.select(['id', 'slug', 'title', 'query_count'])
		.orderBy('position')
		.orderBy('title')
		.execute()
}

export function findCategory(slug: string, executor: Executor = db()): Promise<CategoryRow | undefined> {
	return executor
		.selectFrom('categories')
		.select(['id', 'slug', 'title', 'query_count'])
		.where('slug', '=', slug)
		.executeTakeFirst()
}

/** The most used tags, at most `limit`. */
export function listTagCounts(limit: number): Promise<{ name: string; query_count: number }[]> {
	return db()
		.selectFrom('tags')
		.select(['name', 'query_count'])
		.where('query_count', '>', 0)
		.orderBy('query_count', 'desc')
		.orderBy('name')
		.limit(limit)
		.execute()
}

export interface TagRow {
	id: number
	name: string
	query_count: number
	description: string
	synonyms: string[]
	following: boolean
}

/** A tag by its name or another spelling. @param userId whose following is told; null for a visitor */
export async function findTag(name: string, userId: number | null): Promise<TagRow | undefined> {
	const { rows } = await sql<TagRow>`
		select id, name, query_count, description,
			array(select s.name from tag_synonyms s where s.main = tags.name order by s.name limit 20) as synonyms,
			exists (select 1 from follows where user_id = ${userId}::int and tag_id = tags.id) as following
		from tags where name = coalesce((select main from tag_synonyms where name = ${name}), ${name})`.execute(db())
	return rows[0]
}

/** Whether a member follows a category. */
export async function isFollowingCategory(userId: number, categoryId: number): Promise<boolean> {
	const row = await db()
		.selectFrom('follows')
		.select('user_id')
		.where('user_id', '=', userId)
		.where('category_id', '=', categoryId)
		.executeTakeFirst()
	return row !== undefined
}

/** Related tags are counted in so many of a tag's newest queries, so that a tag of every second query costs no more. */
const sample = 300

/** The tags that stand most often beside this one. */
export async function listRelatedRows(tagId: number, limit: number): Promise<{ name: string; query_count: number }[]> {
	const { rows } = await sql<{ name: string; query_count: number }>`
		with near as (select query_id from query_tags where tag_id = ${tagId} order by created_at desc, query_id desc limit ${sample}),
		beside as (
			select other.tag_id, count(*)::int as together from near join query_tags other using (query_id)
			where other.tag_id <> ${tagId} group by other.tag_id order by together desc, other.tag_id limit ${limit})
		-- offset 0 keeps this a lookup of each: a plan for any limit would read every tag.
		select tag.name, tag.query_count from beside
		cross join lateral (select name, query_count from tags where id = beside.tag_id offset 0) tag
		order by beside.together desc, tag.name`.execute(db())
	return rows
}

export async function updateDescription(name: string, description: string): Promise<boolean> {
	const { numUpdatedRows } = await db()
		.updateTable('tags')
		.set({ description })
		.where('name', '=', name)
		.executeTakeFirst()
	return numUpdatedRows > 0n
}
