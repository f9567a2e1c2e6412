import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { type QuestionRow, questionColumns, questionJoins } from '~/features/questions/questions.queries.server.ts'
import { publishedWithin } from '~/features/routing/choosing.queries.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/** Questions per section of a mail, and how many of the newest are considered for it. */
const MAX_QUESTIONS = 10
const MAX_LOOKED_AT = 2_000

const mutes = (userId: number) =>
	sql`exists (select from muted_subjects s where s.user_id = ${userId} and s.subject_type = 'query' and s.subject_id = q.id)`

/** The time that a mail is about: after `since`, up to `until`. Both are ISO 8601. */
interface Week {
	since: string
	until: string
}

const isWithin = (time: RawBuilder<unknown>, { since, until }: Week) =>
	sql`${time} > ${since}::timestamptz and ${time} <= ${until}::timestamptz`

/** Followed questions with comments by others that became public within a week, most new comments first, with their number. */
export async function listNewlyAnswered(
	trx: Executor,
	userId: number,
	week: Week,
): Promise<(QuestionRow & { fresh: number })[]> {
	const { rows } = await sql<QuestionRow & { fresh: number }>`
		select ${questionColumns}, news.fresh
		from follows f join questions q on q.id = f.question_id ${questionJoins}
			cross join lateral (select count(*)::int as fresh from comments m where m.question_id = q.id and m.status = 'published'
				and ${isWithin(sql`coalesce(m.status_at, m.created_at)`, week)} and m.author_id <> all(${accountIdsOf(userId)})
				and not ${isBlocking(userId, sql.ref('m.author_id'))}) news
		where f.user_id = ${userId} and f.question_id is not null and q.status = 'published'
			-- A question is as active as when its last comment was written, which may have waited for a moderator since.
			and q.active_at > ${week.since}::timestamptz - interval '30 days' and news.fresh > 0 and not ${mutes(userId)}
		order by news.fresh desc, q.id desc limit ${MAX_QUESTIONS}`.execute(trx)
	return rows
}

/** Questions by others that became public within a week, with a tag or category that a member follows or about a skill that they show; newest first. */
export async function listNewlyAsked(trx: Executor, userId: number, week: Week): Promise<QuestionRow[]> {
	const { rows } = await sql<QuestionRow>`
		with wanted as materialized (
			select tag_id from follows where user_id = ${userId} and tag_id is not null
			union
			select tags.id from shown_skills s join skills on skills.id = s.skill_id join tags on tags.term_key = skills.term_key
			where s.user_id = ${userId})
		select ${questionColumns}
		from (select * from questions where status = 'published' and id in ${publishedWithin({ after: week.since, until: week.until })}
			order by created_at desc, id desc limit ${MAX_LOOKED_AT}) q ${questionJoins}
		where q.author_id <> all(${accountIdsOf(userId)}) and not ${isBlocking(userId, sql.ref('q.author_id'))} and not ${mutes(userId)}
			and (exists (select from follows where user_id = ${userId} and category_id = q.category_id)
				or exists (select from question_tags t join wanted on wanted.tag_id = t.tag_id where t.question_id = q.id))
		order by q.created_at desc, q.id desc limit ${MAX_QUESTIONS}`.execute(trx)
	return rows
}

/** Saved searches with results that the member has not opened, the last of them found within a week. */
export async function listSearchesWithNews(
	trx: Executor,
	userId: number,
	week: Week,
): Promise<{ id: number; name: string; hits: number }[]> {
	const { rows } = await sql<{ id: number; name: string; hits: number }>`
		select id, name, hits from saved_searches where user_id = ${userId} and removed_at is null and hits > 0
			and ${isWithin(sql.ref('found_at'), week)}
		order by hits desc, id`.execute(trx)
	return rows
}
