import { sql } from 'kysely'
import { questionUrl } from '~/features/search/search.view.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { MAX_MOST_READ, MAX_TABLES, type MostRead, type TableSize } from './usage.view.ts'

/** Adds to the views of a week, by kind. */
export async function addReads(trx: Executor, week: string, reads: ReadonlyMap<string, number>): Promise<void> {
	// In the same order in every process, to avoid deadlocks.
	await sql`
		insert into weekly_reads (week, kind, reads)
		select ${week}::date, kind, reads from unnest(${[...reads.keys()]}::text[], ${[...reads.values()]}::int[]) as counted (kind, reads)
		order by kind
		on conflict (kind, week) do update set reads = weekly_reads.reads + excluded.reads`.execute(trx)
}

/** Adds to the views of existing questions in a week. */
export async function addQuestionReads(trx: Executor, week: string, reads: ReadonlyMap<number, number>): Promise<void> {
	await sql`
		insert into weekly_question_reads (week, question_id, reads)
		select ${week}::date, id, reads from unnest(${[...reads.keys()]}::int[], ${[...reads.values()]}::int[]) as counted (id, reads)
		join questions using (id) order by id for key share of questions
		on conflict (question_id, week) do update set reads = weekly_question_reads.reads + excluded.reads`.execute(trx)
}

/** Records the present size of the database and of all pictures. */
export async function writeStorage(trx: Executor, week: string): Promise<void> {
	await sql`
		insert into weekly_storage (week, part, bytes)
		values (${week}::date, 'database', pg_database_size(current_database())),
			(${week}::date, 'pictures', (select coalesce(sum(bytes), 0) from pictures))
		on conflict (part, week) do update set bytes = excluded.bytes`.execute(trx)
}

/** Deletes the numbers of weeks before this one; those of single questions before another one. */
export async function sweepUsage(trx: Executor, week: string, questionWeek: string): Promise<void> {
	await sql`delete from weekly_question_reads where week < ${questionWeek}::date`.execute(trx)
	await sql`delete from weekly_reads where week < ${week}::date`.execute(trx)
	await sql`delete from weekly_storage where week < ${week}::date`.execute(trx)
}

/** Views by week and kind, since this week. */
export async function listReads(since: string): Promise<{ week: string; kind: string; reads: number }[]> {
	const { rows } = await sql<{ week: string; kind: string; reads: number }>`
		select week::text as week, kind, reads from weekly_reads where week >= ${since}::date`.execute(db())
	return rows
}

/** Bytes by week and part, since this week. */
export async function listStorage(since: string): Promise<{ week: string; part: string; bytes: number }[]> {
	const { rows } = await sql<{ week: string; part: string; bytes: number }>`
		select week::text as week, part, bytes::float8 as bytes from weekly_storage where week >= ${since}::date`.execute(
		db(),
	)
	return rows
}

/** Candidates for each question shown, as some are no longer published. */
const SPARE = 10

/** The most viewed published questions since this week. */
export async function listMostRead(since: string): Promise<MostRead[]> {
	const { rows } = await sql<{ id: number; title: string; username: string; category_slug: string; reads: number }>`
		with counted as (
			select question_id, sum(reads)::int as reads from weekly_question_reads where week >= ${since}::date
			group by question_id order by reads desc, question_id limit ${MAX_MOST_READ * SPARE})
		select q.id, q.title, u.username, c.slug as category_slug, counted.reads
		from counted join questions q on q.id = question_id join users u on u.id = q.author_id join categories c on c.id = q.category_id
		where q.status = 'published' order by counted.reads desc, q.id limit ${MAX_MOST_READ}`.execute(db())
	return rows.map(({ id, title, reads, ...place }) => ({
		id,
		title,
		reads,
		url: questionUrl({ id, title, ...place }),
	}))
}

/** The largest tables, including their indexes and TOAST data. */
export async function listTableSizes(): Promise<TableSize[]> {
	const { rows } = await sql<TableSize>`
		select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
		where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc, name limit ${MAX_TABLES}`.execute(
		db(),
	)
	return rows
}
