import { type Generated, type GeneratedAlways, sql } from 'kysely'
import { listTermsOfWords, lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { NullableTimestamp } from '~/platform/db/notification-tables.ts'
import { statement, type Value } from '~/platform/db/statement.server.ts'
import { escapeLike } from '~/platform/db/times.server.ts'
import type { CategoryAskers } from './tags.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		categories: {
			id: GeneratedAlways<number>
			slug: string
			title: string
			position: Generated<number>
			tags: Generated<string[]>
			question_count: Generated<number>
			description: Generated<string>
			asking: Generated<'everybody' | 'verified' | 'staff'>
			archived_at: NullableTimestamp
			merged_into: number | null
			version: Generated<number>
			required_tags: Generated<string[]>
		}
		former_slugs: { slug: string; category_id: number }
	}
}

/** Used tags that start with `prefix` (lower case), most used first, and those in `names`. */
export async function listTagsLike({
	prefix,
	names,
	limit,
}: TagsLike): Promise<{ name: string; question_count: number }[]> {
	const pattern = `${escapeLike(prefix)}%`
	const { rows } = await sql<{ name: string; question_count: number }>`
		(select name, question_count from tags where name like ${pattern} and question_count > 0
			order by question_count desc, name limit ${limit})
		union (select name, question_count from tags where name = any(${names}))`.execute(db())
	return rows
}

/** Tags that are looked up for one of several texts, as by {@link listTagsLike}. */
export interface TagsLike {
	prefix: string
	names: string[]
	limit: number
}

/** In a subselect, so that PostgreSQL keeps its plan for arrays of any length. */
const array = (given: Value<unknown[]>, type: 'int' | 'text') => sql`(select ${given}::${sql.raw(`${type}[]`)})`

// A range in place of `like`, for which the plan would have to know the texts. Nothing sorts after the last code point.
const readTagsLike = statement(
	(prefixes: Value<string[]>, limits: Value<number[]>, places: Value<number[]>, names: Value<string[]>) => sql<{
		place: number
		name: string
		question_count: number
	}>`
		select like_it.place, tag.name, tag.question_count
		from unnest(${array(prefixes, 'text')}, ${array(limits, 'int')}) with ordinality as like_it (prefix, most, place)
		cross join lateral (select name, question_count from tags
			where name ~>=~ like_it.prefix and name ~<~ (like_it.prefix || chr(1114111)) and question_count > 0
			order by question_count desc, name limit like_it.most) tag
		union select given.place, tag.name, tag.question_count
		from unnest(${array(places, 'int')}, ${array(names, 'text')}) as given (place, name)
		cross join lateral (select name, question_count from tags where name = given.name limit 1) tag`,
)

/** {@link listTagsLike} for several texts, by one statement. */
export async function listTagsLikeEach(
	asked: readonly TagsLike[],
): Promise<{ name: string; question_count: number }[][]> {
	const rows = await readTagsLike(
		db(),
		asked.map(({ prefix }) => prefix),
		asked.map(({ limit }) => limit),
		asked.flatMap(({ names }, index) => names.map(() => index + 1)),
		asked.flatMap(({ names }) => names),
	)
	const found = Map.groupBy(rows, ({ place }) => Number(place))
	return asked.map((_, index) => found.get(index + 1) ?? [])
}

export interface CategoryRow {
	id: number
	slug: string
	title: string
	question_count: number
	description: string
	askers: CategoryAskers
	required_tags: string[]
}

const categoryColumns = sql`id, slug, title, question_count, description, required_tags,
	case when archived_at is null then asking else 'nobody' end as askers`

/** All categories in the site's order, archived ones last. */
export async function listCategoryRows(): Promise<CategoryRow[]> {
	const { rows } = await sql<CategoryRow>`
		select ${categoryColumns} from categories where merged_into is null
		order by archived_at is not null, position, title`.execute(db())
	return rows
}

/** The category of a slug: its own, a former one, or one of a category that was merged into it. */
export async function findCategory(slug: string, executor: Executor = db()): Promise<CategoryRow | undefined> {
	const { rows } = await sql<CategoryRow>`
		select ${categoryColumns} from categories where id = category_at(${slug})`.execute(executor)
	return rows[0]
}

/** Prevents changes of categories until the transaction ends, while a question is written. Call it after `lockTermsShared`. */
export async function lockCategoriesShared(trx: Executor): Promise<void> {
	await sql`lock table former_slugs in row share mode`.execute(trx)
}

/** Waits for transactions that are writing questions, and blocks new ones until the change of a category is committed. */
export async function lockCategories(trx: Executor): Promise<void> {
	await sql`lock table former_slugs in exclusive mode`.execute(trx)
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
	term_id: number | null
	following: boolean
}

/** A tag by its name or another spelling of its term. @param userId for whether they follow it; null for a visitor */
export async function findTag(
	name: string,
	userId: number | null,
	executor: Executor = db(),
): Promise<TagRow | undefined> {
	const { rows } = await sql<TagRow>`
		select tags.id, tags.name, question_count, coalesce(nullif(t.description, ''), tags.description) as description,
			array(select spelling from term_spellings where term_id = t.id and key <> tags.term_key order by spelling limit 20) as synonyms,
			t.id as term_id, exists (select 1 from follows where user_id = ${userId}::int and tag_id = tags.id) as following
		from tags left join vocabulary_terms t on t.tag = tags.name
		where tags.name = coalesce((
			select meant.tag from term_spellings join vocabulary_terms meant on meant.id = term_id where key = term_key(${name})), ${name})`.execute(
		executor,
	)
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

/** Related tags are counted in a sample of a tag's newest questions, which bounds the cost for frequent tags. */
const SAMPLE_SIZE = 300

/** The tags most often used together with this one. */
export async function listRelatedRows(
	tagId: number,
	limit: number,
): Promise<{ name: string; question_count: number }[]> {
	const { rows } = await sql<{ name: string; question_count: number }>`
		with near as (select question_id from question_tags where tag_id = ${tagId} order by created_at desc, question_id desc limit ${SAMPLE_SIZE}),
		beside as (
			select other.tag_id, count(*)::int as together from near join question_tags other using (question_id)
			where other.tag_id <> ${tagId} group by other.tag_id order by together desc, other.tag_id limit ${limit})
		-- offset 0 keeps this a lookup of each: a plan for any limit would read every tag.
		select tag.name, tag.question_count from beside
		cross join lateral (select name, question_count from tags where id = beside.tag_id offset 0) tag
		order by beside.together desc, tag.name`.execute(db())
	return rows
}

/** Sets the description of a tag. @returns false if the tag does not exist */
export async function updateDescription(trx: Executor, name: string, description: string): Promise<boolean> {
	const { numUpdatedRows } = await trx
		.updateTable('tags')
		.set({ description })
		.where('name', '=', name)
		.executeTakeFirst()
	return numUpdatedRows > 0n
}

/** The synonyms of tags, at most `limit` spellings. @param isOwn only those added by moderators of this site */
export async function listSynonymRows(limit: number, isOwn: boolean): Promise<{ main: string; names: string[] }[]> {
	const { rows } = await sql<{ main: string; names: string[] }>`
		select main, array_agg(name order by name) as names from (
			select t.tag as main, s.spelling as name from term_spellings s join vocabulary_terms t on t.id = s.term_id
			where s.key not in (term_key(t.tag), term_key(t.name)) ${isOwn ? sql`and s.added_at is not null` : sql``}
			order by t.tag, s.spelling limit ${limit}) shown
		group by main order by main`.execute(db())
	return rows
}

/**
 * Moves a batch of questions from one tag to another. Locks in the order of all writers: questions by id, then the words of the search,
 * then tags by name.
 * @returns the number of questions that were left, at most `limit`
 */
export async function moveQuestions(trx: Executor, name: string, main: string, limit: number): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		select id from questions where id in (
			select question_id from question_tags join tags on tags.id = tag_id where tags.name = ${name} order by question_id limit ${limit})
		order by id for update`.execute(trx)
	if (rows.length === 0 || !(await isStillTag(trx, name, main))) return 0
	const ids = rows.map(({ id }) => id)
	// A trigger of questions takes this lock for new tags, so it has to be taken before those of the tags.
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

/** Whether a word still means a tag, until the transaction ends. Whoever has changed its term since moves what has the word too. */
export async function isStillTag(trx: Executor, word: string, tag: string): Promise<boolean> {
	await lockTermsShared(trx)
	return (await listTermsOfWords(trx, [word])).get(word)?.tag === tag
}

/*
 * Counters change in the transaction that changes what they count. All transactions lock in the same order, to avoid deadlocks: the
 * question, then its author or moderator (the rules of moderation), then categories by id, then the counter, then tags by name. "no key":
 * foreign keys only need the id to stay.
 */

/** Adds a published question to the counters, or removes one that is no longer published. Its statements begin at once. */
export async function addToQuestionCount(trx: Executor, categoryId: number, change: 1 | -1): Promise<void> {
	await Promise.all([
		sql`update categories set question_count = question_count + ${change} where id = ${categoryId}`.execute(trx),
		sql`update counters set value = value + ${change} where name = 'questions'`.execute(trx),
	])
}

/** Moves a published question to another category's counter. */
export async function moveQuestion(trx: Executor, from: number, to: number): Promise<void> {
	await sql`
		with both_ends as (select id from categories where id in (${from}, ${to}) order by id for no key update)
		update categories set question_count = question_count + case categories.id when ${to} then 1 else -1 end
		from both_ends where categories.id = both_ends.id`.execute(trx)
}

/**
 * Sets the tags of a published question, and creates new ones; none if it is not published. Its statements begin at once, in the order in
 * which they lock.
 */
export async function retagQuestion(trx: Executor, id: number, tags: string[]): Promise<void> {
	await Promise.all([
		sql`insert into tags (name) select name from unnest(${tags}::text[]) as name order by name on conflict do nothing`.execute(
			trx,
		),
		// By their ids, as PostgreSQL would read all tags for “name = … or id in …”.
		sql`
			select from tags where id = any(array(
				select id from tags where name = any(${tags}) union all select tag_id from question_tags where question_id = ${id}))
			order by name for no key update`.execute(trx),
		sql`
			with gone as (delete from question_tags where question_id = ${id} and tag_id not in (select id from tags where name = any(${tags})) returning tag_id)
			update tags set question_count = question_count - 1 from gone where tags.id = gone.tag_id`.execute(trx),
		sql`
			with fresh as (
				insert into question_tags (tag_id, question_id, created_at)
				select tags.id, questions.id, questions.created_at from tags, questions where tags.name = any(${tags}) and questions.id = ${id}
				on conflict do nothing returning tag_id)
			update tags set question_count = question_count + 1 from fresh where tags.id = fresh.tag_id`.execute(trx),
	])
}

/** The counters that {@link addToQuestionCount}, {@link moveQuestion} and {@link retagQuestion} maintain. */
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

/** Deletes tags without questions, followers and description. */
export async function forgetTags(): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await sql`lock table tags in share row exclusive mode`.execute(trx)
			await sql`
				delete from tags where question_count = 0 and description = '' and not exists (select from follows where tag_id = tags.id)
					and not exists (select from question_tags where tag_id = tags.id)
					and not exists (select from term_spellings where key = tags.term_key)`.execute(trx)
		})
}
