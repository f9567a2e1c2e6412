import { sql } from 'kysely'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Used tags that begin with `prefix` (lower case), the most used first. */
export function listTagsLike(prefix: string, limit: number): Promise<{ name: string; question_count: number }[]> {
	return db()
		.selectFrom('tags')
		.select(['name', 'question_count'])
		.where('name', 'like', `${prefix.replace(/[\\%_]/g, '\\$&')}%`)
		.where('question_count', '>', 0)
		.orderBy('question_count', 'desc')
		.orderBy('name')
		.limit(limit)
		.execute()
}

export interface CategoryRow {
	id: number
	slug: string
	title: string
	question_count: number
}

export function listCategoryRows(): Promise<CategoryRow[]> {
	return db()
		.selectFrom('categories')
		.select(['id', 'slug', 'title', 'question_count'])
		.orderBy('position')
		.orderBy('title')
		.execute()
}

export function findCategory(slug: string, executor: Executor = db()): Promise<CategoryRow | undefined> {
	return executor
		.selectFrom('categories')
		.select(['id', 'slug', 'title', 'question_count'])
		.where('slug', '=', slug)
		.executeTakeFirst()
}

/** The most used tags, at most `limit`. */
export function listTagCounts(limit: number): Promise<{ name: string; question_count: number }[]> {
	return db()
		.selectFrom('tags')
		.select(['name', 'question_count'])
		.where('question_count', '>', 0)
		.orderBy('question_count', 'desc')
		.orderBy('name')
		.limit(limit)
		.execute()
}

export interface TagRow {
	id: number
	name: string
	question_count: number
	description: string
	synonyms: string[]
	following: boolean
}

/** A tag by its name or another spelling. @param userId whose following is read; null for a visitor */
export async function findTag(name: string, userId: number | null): Promise<TagRow | undefined> {
	const { rows } = await sql<TagRow>`
		select id, name, question_count, description,
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

/** Related tags are counted in so many of a tag's newest questions, so that a tag of every second question costs no more. */
const sample = 300

/** The tags that stand most often beside this one. */
export async function listRelatedRows(
	tagId: number,
	limit: number,
): Promise<{ name: string; question_count: number }[]> {
	const { rows } = await sql<{ name: string; question_count: number }>`
		with near as (select question_id from question_tags where tag_id = ${tagId} order by created_at desc, question_id desc limit ${sample}),
		beside as (
			select other.tag_id, count(*)::int as together from near join question_tags other using (question_id)
			where other.tag_id <> ${tagId} group by other.tag_id order by together desc, other.tag_id limit ${limit})
		-- offset 0 keeps this a lookup of each: a plan for any limit would read every tag.
		select tag.name, tag.question_count from beside
		cross join lateral (select name, question_count from tags where id = beside.tag_id offset 0) tag
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

/**
 * For a transaction that writes a query: until it ends nobody adds a synonym, so no question can be written with a tag whose
 * questions have just been moved.
 */
export async function holdSynonyms(trx: Executor): Promise<void> {
	await sql`lock table tag_synonyms in row share mode`.execute(trx)
}

/** Which of these tags are stored as others. */
export async function listMains(trx: Executor, names: string[]): Promise<Map<string, string>> {
	const { rows } = await sql<{ name: string; main: string }>`
		select name, main from tag_synonyms where name = any(${names}::text[])`.execute(trx)
	return new Map(rows.map(({ name, main }) => [name, main]))
}

/** Waits for the questions that are being written, and keeps others waiting until the synonym stands. */
export async function lockSynonyms(trx: Executor): Promise<void> {
	await sql`lock table tag_synonyms in exclusive mode`.execute(trx)
}

/** What a tag is stored as; undefined when it is no synonym. */
export async function findMain(trx: Executor, name: string): Promise<string | undefined> {
	const row = await trx.selectFrom('tag_synonyms').select('main').where('name', '=', name).executeTakeFirst()
	return row?.main
}

/** Keeps `name` as `main` from now on, with its own synonyms, its followers and, where the main tag has none, its description. */
export async function insertSynonym(trx: Executor, name: string, main: string): Promise<void> {
	await sql`update tag_synonyms set main = ${main} where main = ${name}`.execute(trx)
	await sql`insert into tag_synonyms (name, main) values (${name}, ${main}) on conflict (name) do update set main = excluded.main`.execute(
		trx,
	)
	await sql`insert into tags (name) values (${main}) on conflict do nothing`.execute(trx)
	await sql`
		insert into follows (user_id, tag_id, followed_at)
		select user_id, kept.id, followed_at from follows join tags old on old.id = follows.tag_id, tags kept
		where old.name = ${name} and kept.name = ${main} on conflict do nothing`.execute(trx)
	await sql`delete from follows using tags where tags.id = follows.tag_id and tags.name = ${name}`.execute(trx)
	await sql`
		update tags kept set description = old.description from tags old
		where kept.name = ${main} and old.name = ${name} and kept.description = ''`.execute(trx)
}

export async function deleteSynonym(name: string): Promise<boolean> {
	const { numDeletedRows } = await db().deleteFrom('tag_synonyms').where('name', '=', name).executeTakeFirst()
	return numDeletedRows > 0n
}

/** Every synonym under its main tag, at most `limit` of them. */
export async function listSynonymRows(limit: number): Promise<{ main: string; names: string[] }[]> {
	const { rows } = await sql<{ main: string; names: string[] }>`
		select main, array_agg(name order by name) as names
		from (select name, main from tag_synonyms order by main, name limit ${limit}) shown group by main order by main`.execute(
		db(),
	)
	return rows
}

/** Synonyms whose questions still stand under their old tag. */
export function listUnmoved(): Promise<{ name: string; main: string }[]> {
	return db()
		.selectFrom('tag_synonyms')
		.innerJoin('tags', 'tags.name', 'tag_synonyms.name')
		.select(['tag_synonyms.name', 'tag_synonyms.main'])
		.where('tags.question_count', '>', 0)
		.limit(100)
		.execute()
}

/**
 * Moves the next questions from one tag to another, locked in the order of all writers: questions by id, then the words of the search, then tags by name.
 * @returns how many were left to move, at most `limit`
 */
export async function moveQuestions(trx: Executor, name: string, main: string, limit: number): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		select id from questions where id in (
			select question_id from question_tags join tags on tags.id = tag_id where tags.name = ${name} order by question_id limit ${limit})
		order by id for update`.execute(trx)
	if (rows.length === 0) return 0
	const ids = rows.map(({ id }) => id)
	// The trigger of questions takes this lock for a tag that is new to the search. Whoever asks has it before the tags as well.
	await sql`select pg_advisory_xact_lock(hashtext('search_words'))`.execute(trx)
	await sql`select 1 from tags where name in (${name}, ${main}) order by name for no key update`.execute(trx)
	await sql`
		update questions set tags = array(
			select tag from (
				select case when given = ${name} then ${main} else given end as tag, min(place) as place
				from unnest(tags) with ordinality as each_tag (given, place) group by 1) renamed
			order by place)
		where id = any(${ids})`.execute(trx)
	await sql`update questions set search = whole_document(questions) where id = any(${ids})`.execute(trx)
	await sql`
		with gone as (
			delete from question_tags using tags where tags.id = tag_id and tags.name = ${name} and question_id = any(${ids}) returning question_id, created_at),
		fresh as (
			insert into question_tags (tag_id, question_id, created_at)
			select tags.id, gone.question_id, gone.created_at from gone, tags where tags.name = ${main} on conflict do nothing returning 1)
		update tags set question_count = question_count + case name
			when ${main} then (select count(*)::int from fresh) else -(select count(*)::int from gone) end
		where name in (${name}, ${main})`.execute(trx)
	return ids.length
}

/*
 * Counters change in the transaction that changes what they count. Writers that meet never wait for each other in a circle,
 * because all lock in one order: the question, then its author or moderator (the rules of moderation), then categories by id,
 * then the counter, then tags by name. "no key": a foreign key only needs the id to stay.
 */

/** Counts a question that has become published, or is published no more. */
export async function addToQuestionCount(trx: Executor, categoryId: number, change: 1 | -1): Promise<void> {
	await sql`update categories set question_count = question_count + ${change} where id = ${categoryId}`.execute(trx)
	await sql`update counters set value = value + ${change} where name = 'questions'`.execute(trx)
}

/** Counts a published question in another category. */
export async function moveQuestion(trx: Executor, from: number, to: number): Promise<void> {
	await sql`
		with both_ends as (select id from categories where id in (${from}, ${to}) order by id for no key update)
		update categories set question_count = question_count + case categories.id when ${to} then 1 else -1 end
		from both_ends where categories.id = both_ends.id`.execute(trx)
}

/** Makes `tags` those of a published question, adding those that nobody used before; none for one that is not published. */
export async function retagQuestion(trx: Executor, id: number, tags: string[]): Promise<void> {
	await sql`insert into tags (name) select name from unnest(${tags}::text[]) as name order by name on conflict do nothing`.execute(
		trx,
	)
	await sql`select 1 from tags where name = any(${tags}) or id in (select tag_id from question_tags where question_id = ${id}) order by name for no key update`.execute(
		trx,
	)
	await sql`
		with gone as (delete from question_tags where question_id = ${id} and tag_id not in (select id from tags where name = any(${tags})) returning tag_id)
		update tags set question_count = question_count - 1 from gone where tags.id = gone.tag_id`.execute(trx)
	await sql`
		with fresh as (
			insert into question_tags (tag_id, question_id, created_at)
			select tags.id, questions.id, questions.created_at from tags, questions where tags.name = any(${tags}) and questions.id = ${id}
			on conflict do nothing returning tag_id)
		update tags set question_count = question_count + 1 from fresh where tags.id = fresh.tag_id`.execute(trx)
}

/** What {@link addToQuestionCount}, {@link moveQuestion} and {@link retagQuestion} keep. */
export const tagCounters: readonly Counter[] = [
	{
		table: 'categories',
		column: 'question_count',
		actual: sql`(select count(*) from questions q where q.category_id = t.id and q.status = 'published')`,
	},
	{
		table: 'counters',
		column: 'value',
		key: 'name',
		where: sql`t.name = 'questions'`,
		actual: sql`(select count(*) from questions q where q.status = 'published')`,
	},
	{
		table: 'tags',
		column: 'question_count',
		key: 'name',
		actual: sql`(select count(*) from question_tags q where q.tag_id = t.id)`,
	},
]
