import { sql } from 'kysely'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/*
 * Counters change in the transaction that changes what they count. Writers that meet never wait for each other in a circle,
 * because all lock in one order: the question, then its author or moderator (the rules of moderation), then categories by id,
 * then the counter, then tags by name. "no key": a foreign key only needs the id to stay.
 */

/** Counts a question that has become published, or is published no more. */
export async function countQuestions(trx: Executor, categoryId: number, change: 1 | -1): Promise<void> {
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

const commentsOf = sql`comments m where m.question_id = t.id and m.status = 'published'`

/** What is checked every night. A score of an imported text begins with what its source gave, which is stored nowhere else. */
export const forumCounters: readonly Counter[] = [
	{ table: 'questions', column: 'comment_count', actual: sql`(select count(*) from ${commentsOf})` },
	{ table: 'questions', column: 'solved', actual: sql`exists (select from ${commentsOf} and m.is_solution)` },
	{
		table: 'questions',
		column: 'score',
		where: sql`t.source is null`,
		actual: sql`(select coalesce(sum(v.value), 0) from question_votes v where v.question_id = t.id)`,
	},
	{
		table: 'comments',
		column: 'score',
		where: sql`t.source_id is null and exists (select from questions q where q.id = t.question_id and q.source is null)`,
		actual: sql`(select coalesce(sum(v.value), 0) from comment_votes v where v.comment_id = t.id)`,
	},
	{
		table: 'categories',
		column: 'question_count',
		actual: sql`(select count(*) from questions q where q.category_id = t.id and q.status = 'published')`,
	},
	{
		table: 'tags',
		column: 'question_count',
		key: 'name',
		actual: sql`(select count(*) from question_tags q where q.tag_id = t.id)`,
	},
	{
		table: 'counters',
		column: 'value',
		key: 'name',
		where: sql`t.name = 'questions'`,
		actual: sql`(select count(*) from questions q where q.status = 'published')`,
	},
]
