import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isByAnother } from '~/platform/db/posts.server.ts'
import { daysBefore, momentOf, mondayOf } from '~/platform/settings/region.server.ts'
import { ANSWERED_WITHIN_DAYS, type FailedJobs, FIGURE_WEEKS, type WeekFigures } from './figures.view.ts'

/** SQL fragments for the last weeks, in the site's time zone. */
function lastWeeks(count: number) {
	const monday = mondayOf()
	const mondays = Array.from({ length: count }, (_, place) => daysBefore(monday, 7 * (count - 1 - place)))
	const starts = mondays.map((day) => momentOf(day))
	return {
		/** A row for each Monday. */
		weeks: sql`(select unnest(${mondays}::date[]) as week)`,
		/** The Monday before a time; null before the first week. */
		weekOf: (column: string) => sql`(${mondays}::date[])[width_bucket(${sql.ref(column)}, ${starts}::timestamptz[])]`,
		/** The start of the first week. */
		since: sql`${starts[0]}::timestamptz`,
	}
}

/**
 * Counts members by week. Activity is only known during a week, as a session stores only its last use, so a higher earlier count is kept.
 */
export async function writeMemberFigures(trx: Executor): Promise<void> {
	const { weeks, weekOf, since } = lastWeeks(FIGURE_WEEKS)
	await sql`
		with joined as (
			select ${weekOf('created_at')} as week, count(*)::int as count from users
			where not imported and created_at >= ${since} group by 1),
		seen as (
			select ${weekOf('updated_at')} as week, user_id from sessions where updated_at >= ${since}
			union select ${weekOf('created_at')}, author_id from questions where created_at >= ${since} and status = 'published'
			union select ${weekOf('created_at')}, author_id from comments where created_at >= ${since} and status = 'published'),
		active as (
			select week, count(*)::int as count from seen join users on users.id = user_id where not imported group by week)
		insert into weekly_members (week, joined, active)
		select week, coalesce(joined.count, 0), coalesce(active.count, 0)
		from ${weeks} weeks left join joined using (week) left join active using (week)
		on conflict (week) do update set joined = excluded.joined, active = greatest(weekly_members.active, excluded.active)`.execute(
		trx,
	)
}

/** Counts questions, and how soon they were answered, by week and category, and for all categories. */
export async function writeQuestionFigures(trx: Executor): Promise<void> {
	const { weeks, weekOf, since } = lastWeeks(FIGURE_WEEKS)
	await sql`delete from weekly_questions where week >= (select min(week) from ${weeks} weeks)`.execute(trx)
	await sql`
		with asked as (
			select ${weekOf('q.created_at')} as week, q.category_id, (
				select extract(epoch from min(c.created_at) - q.created_at) / 60 from comments c
				where c.question_id = q.id and ${isByAnother('c')} and c.status = 'published'
					and c.created_at <= q.created_at + ${ANSWERED_WITHIN_DAYS}::int * interval '1 day') as minutes
			from questions q where q.created_at >= ${since} and q.status = 'published')
		insert into weekly_questions (week, category_id, questions, answered, median_minutes)
		select week, coalesce(category_id, 0), count(*), count(minutes), percentile_cont(0.5) within group (order by minutes)
		from asked group by grouping sets ((week, category_id), (week))`.execute(trx)
}

/** The last weeks, oldest first. @param categoryId 0 for all categories */
export async function listFigures(categoryId: number, count: number): Promise<WeekFigures[]> {
	const { weeks } = lastWeeks(count)
	const { rows } = await sql<WeekFigures>`
		select weeks.week::text as week, coalesce(joined, 0) as joined, coalesce(active, 0) as active, coalesce(questions, 0) as questions,
			coalesce(answered, 0) as answered, median_minutes as "medianMinutes"
		from ${weeks} weeks left join weekly_members using (week)
		left join weekly_questions on weekly_questions.week = weeks.week and category_id = ${categoryId}
		order by weeks.week`.execute(db())
	return rows
}

/** Whether anything has been counted yet. */
export async function hasFigures(): Promise<boolean> {
	const { rows } = await sql`select from weekly_members limit 1`.execute(db())
	return rows.length > 0
}

/** Unfinished jobs that failed at least once, by kind. */
export async function listFailedJobs(): Promise<FailedJobs[]> {
	const { rows } = await sql<FailedJobs>`
		select task_identifier as task, count(*) filter (where attempts < max_attempts)::int as waiting,
			count(*) filter (where attempts >= max_attempts)::int as "givenUp",
			(array_agg(left(last_error, 300) order by updated_at desc))[1] as error
		from graphile_worker.jobs where last_error is not null group by task_identifier order by task_identifier limit 100`.execute(
		db(),
	)
	return rows
}

/** Retries failed jobs of a kind now, with all attempts. @returns their number */
export async function retryFailedJobs(trx: Executor, task: string): Promise<number> {
	const { rows } = await sql`
		select from graphile_worker.reschedule_jobs(
			array(select id from graphile_worker.jobs where task_identifier = ${task} and last_error is not null and locked_at is null),
			run_at => now(), attempts => 0)`.execute(trx)
	return rows.length
}
