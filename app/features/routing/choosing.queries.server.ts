import { type Generated, type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { accountIdsOf, memberBehind } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isByAnother } from '~/platform/db/posts.server.ts'
import { isConnected } from '~/platform/realtime/presence.queries.server.ts'
import {
	ANSWER_WEIGHT,
	DECLINE_HALF_LIFE_DAYS,
	LISTED_SKILL_WEIGHT,
	MAX_ASKED_PER_WEEK,
	MAX_FROM_ANSWERS,
	MAX_RECENT_QUESTIONS,
	MAX_STRENGTH,
	MAX_WEIGHED,
	MIN_FIT,
	PRESENCE_FACTORS,
	RELATED_SHARE,
} from './routing.limits.ts'
import type { AskedView } from './routing.view.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		routing_members: { user_id: number; opted_in: Generated<boolean>; feed_version: Generated<number> }
		question_routing: {
			question_id: number
			routed: boolean
			published_at: Generated<Date>
			rounds: Generated<number>
		}
		question_asks: {
			question_id: number
			user_id: number
			round: number
			tag_ids: number[]
			names: string[]
			asked_at: Generated<Date>
			declined_at: Date | null
		}
	}
}

/* SQL for what a member knows, shared by the choice of members for a question and of questions for a member. */

const number = (value: number) => sql`${sql.lit(value)}::float8`

/** Each term with itself, its children and its parents, and what share of the knowledge counts. */
export const relatedTerms = sql`(
	select id as term_id, id as related_id, 1::float8 as share from vocabulary_terms
	union all select parent_id, term_id, ${number(RELATED_SHARE)} from term_parents
	union all select term_id, parent_id, ${number(RELATED_SHARE)} from term_parents)`

/**
 * The weight of a listed skill, from `strengths.strength`, which is null without evidence. Rounded to days, so that lists keep their order.
 */
export const skillWeight = sql<number>`(${number(LISTED_SKILL_WEIGHT)} + least(${number(MAX_STRENGTH)},
	coalesce(strengths.strength, 0) / (select evidence_scale(date_trunc('day', now())))))`

/** The weight of answered questions with a tag. @param answers their number */
export function answersWeight(answers: RawBuilder<unknown>): RawBuilder<number> {
	return sql<number>`least(${number(MAX_FROM_ANSWERS)}, ${number(ANSWER_WEIGHT)} * ${answers})`
}

/**
 * By member and tag, the share of knowledge that remains after “not me”. Rounded to days, as {@link skillWeight}.
 * @param whose a condition on `question_asks`
 */
export function declinedTags(whose: RawBuilder<unknown>): RawBuilder<unknown> {
	return sql`(select user_id, declined_tag as tag_id, power(0.5::float8, sum(power(0.5::float8,
			extract(epoch from greatest(date_trunc('day', now()) - declined_at, interval '0'))::float8 / ${sql.lit(86_400 * DECLINE_HALF_LIFE_DAYS)}))) as left_over
		from question_asks, unnest(tag_ids) as declined_tag where declined_at is not null and ${whose} group by 1, 2)`
}

/* A question's rounds, and the job that chooses members. */

/** Records whether members are to be asked about a newly published question. An existing record stays. */
export async function insertRouting(trx: Executor, questionId: number, routed: boolean): Promise<void> {
	await sql`insert into question_routing (question_id, routed) values (${questionId}, ${routed})
		on conflict do nothing`.execute(trx)
}

/** The number of rounds of a question; undefined if it is not routed. */
export async function findRounds(trx: Executor, questionId: number): Promise<number | undefined> {
	const { rows } = await sql<{ rounds: number }>`
		select rounds from question_routing where question_id = ${questionId} and routed`.execute(trx)
	return rows[0]?.rounds
}

/** Like {@link findRounds}, with a lock: of two jobs for a question the second one sees the effect of the first. */
export async function lockRounds(trx: Executor, questionId: number): Promise<number | undefined> {
	const { rows } = await sql<{ rounds: number }>`
		select rounds from question_routing where question_id = ${questionId} and routed for update`.execute(trx)
	return rows[0]?.rounds
}

/**
 * An SQL expression: the ids of the questions that became public within a time, which may be long after they were asked. Times are ISO 8601.
 * Imported ones became public when they were asked.
 */
export function publishedWithin({ after, until }: { after: string; until: string }): RawBuilder<number> {
	const isWithin = (column: string) =>
		sql`${sql.ref(column)} > ${after}::timestamptz and ${sql.ref(column)} <= ${until}::timestamptz`
	return sql`(
		select question_id from question_routing where ${isWithin('published_at')}
		union all
		select id from questions as asked where status = 'published' and ${isWithin('created_at')}
			and not exists (select from question_routing where question_id = asked.id))`
}

/** Sets the number of rounds of a question. */
export async function writeRounds(trx: Executor, questionId: number, rounds: number): Promise<void> {
	await sql`update question_routing set rounds = ${rounds} where question_id = ${questionId}`.execute(trx)
}

export interface OpenQuestion {
	author_id: number
	title: string
	username: string
	category_slug: string
	/** Whether anybody but the author has commented. */
	answered: boolean
}

/** Locks a question if it is public, unsolved and can be answered; it cannot be deleted until the transaction ends. */
export async function lockOpenQuestion(trx: Executor, id: number): Promise<OpenQuestion | undefined> {
	const { rows } = await sql<OpenQuestion>`
		select q.author_id, q.title, users.username, categories.slug as category_slug,
			exists (select from comments c where c.question_id = q.id and ${isByAnother('c')} and c.status = 'published') as answered
		from questions q join users on users.id = q.author_id join categories on categories.id = q.category_id
		where q.id = ${id} and q.status = 'published' and not q.solved and q.locked_at is null for key share of q`.execute(
		trx,
	)
	return rows[0]
}

/** A member who may be asked. */
export interface Candidate {
	user_id: number
	/** The tags and the skills that they know, best first. */
	tag_ids: number[]
	names: string[]
	score: number
}

/**
 * The members to ask about a question, best first, by `score = Σ over its tags (knows) · presence · 1 ÷ (1 + times asked within seven
 * days)`. `routing.limits.ts` describes `knows` and all numbers. Only members who opted in are chosen. Excluded are the author, members who
 * were asked, have answered or were notified of the question, blocks in either direction, members who are suspended, are leaving or were
 * logged out by the university, those who muted the question or this kind of notification, and those who were asked as often as allowed.
 * Ties are broken by a random number that is fixed per question, so that nobody always comes first.
 */
export async function listCandidates(trx: Executor, questionId: number, limit: number): Promise<Candidate[]> {
	const { rows } = await sql<Candidate>`
		with words as materialized (
			select t.tag_id, tags.name, tags.term_key, spelling.term_id
			from question_tags t join tags on tags.id = t.tag_id left join term_spellings spelling on spelling.key = tags.term_key
			where t.question_id = ${questionId}),
		meant as materialized (
			select tag_id, skill_id, max(share) as share from (
				select words.tag_id, skills.id as skill_id, related.share
				from words join ${relatedTerms} related on related.term_id = words.term_id
					join term_spellings spelling on spelling.term_id = related.related_id
					join skills on skills.term_key = spelling.key
				union all
				select words.tag_id, skills.id, 1 from words join skills on skills.term_key = words.term_key) named
			group by 1, 2),
		listed as (
			select distinct on (user_id, tag_id) owned.user_id, tag_id, skills.name, share * ${skillWeight} as knows
			from meant join shown_skills owned using (skill_id) join skills on skills.id = skill_id
				join routing_members open on open.user_id = owned.user_id and opted_in
				left join skill_strengths strengths on strengths.user_id = owned.user_id and strengths.skill_id = owned.skill_id
			order by user_id, tag_id, knows desc, meant.skill_id),
		answered as (
			select c.author_id as user_id, words.tag_id, words.name, ${answersWeight(sql`count(distinct c.question_id)`)} as knows
			from words cross join lateral (
					select recent.question_id from question_tags recent where recent.tag_id = words.tag_id
					order by created_at desc, question_id desc limit ${MAX_RECENT_QUESTIONS}) recent
				join comments c on c.question_id = recent.question_id and c.status = 'published'
				join routing_members open on open.user_id = c.author_id and opted_in
				join questions q on q.id = c.question_id and q.author_id <> c.author_id
			group by 1, 2, 3),
		known as materialized (
			select user_id, tag_id, coalesce(listed.name, answered.name) as name,
				coalesce(listed.knows, 0) + coalesce(answered.knows, 0) as knows
			from listed full join answered using (user_id, tag_id)),
		best as materialized (
			select user_id from known group by user_id having max(knows) >= ${number(MIN_FIT)}
			order by sum(knows) desc, ${dice(sql`user_id`, questionId)} limit ${MAX_WEIGHED}),
		fitting as (
			select user_id, sum(knows * coalesce(left_over, 1)) as fit,
				array_agg(tag_id order by knows * coalesce(left_over, 1) desc, tag_id) as tag_ids,
				array_agg(distinct name) filter (where knows * coalesce(left_over, 1) >= ${number(MIN_FIT)}) as names
			from known join best using (user_id)
				left join ${declinedTags(sql`user_id = any(array(select user_id from best))`)} declined using (user_id, tag_id)
			group by user_id having max(knows * coalesce(left_over, 1)) >= ${number(MIN_FIT)})
		select fitting.user_id, tag_ids, names, fit * ${presence} / (1 + load.asked) as score
		from fitting join users on users.id = fitting.user_id join questions q on q.id = ${questionId}
			left join shown_profiles profiles on profiles.user_id = users.id
			cross join lateral (
				select count(*)::int as asked from question_asks
				where question_asks.user_id = users.id and asked_at > now() - interval '7 days') load
		where load.asked < ${MAX_ASKED_PER_WEEK} and users.id <> ${memberBehind(sql.ref('q.author_id'))} and not users.imported
			and (users.suspended_until is null or users.suspended_until <= now()) and users.leaves_at is null
			and users.absent_since is null
			and not ${isBlocking(sql.ref('users.id'), sql.ref('q.author_id'))}
			and not ${isBlocking(sql.ref('q.author_id'), sql.ref('users.id'))}
			and not exists (select from question_asks asked where asked.question_id = q.id and asked.user_id = users.id)
			and not exists (select from comments c where c.question_id = q.id and c.author_id = users.id and c.status = 'published')
			and not exists (select from muted_subjects muted
				where muted.user_id = users.id and subject_type = 'query' and subject_id = q.id)
			and not exists (select from notification_preferences chosen
				where chosen.user_id = users.id and kind = 'may-know' and not (site or mail or push))
			and not exists (select from notifications told join notification_acts on notification_id = told.id
				where told.user_id = users.id and subject_type = 'query' and subject_id = q.id
					and notification_acts.part_id is null and (told.kind <> 'followed' or told.read_at is not null))
		order by score desc, ${dice(sql`users.id`, questionId)}, users.id limit ${limit}`.execute(trx)
	return rows
}

/** A pseudo-random number per member that is fixed for a question. */
function dice(userId: RawBuilder<unknown>, questionId: number): RawBuilder<number> {
	return sql<number>`hashint8(${userId}::bigint * 1000003 + ${questionId}::bigint)`
}

/** When a member was last seen. Members who hide that count as seen this week, so that it is not revealed. */
const presence = sql<number>`(case
	when exists (select from connections where connections.user_id = users.id and ${isConnected}) then ${number(PRESENCE_FACTORS.online)}
	when profiles.last_seen_at > now() - interval '1 day' then ${number(PRESENCE_FACTORS.today)}
	when profiles.last_seen_at > now() - interval '7 days' or not coalesce(show_presence, true) then ${number(PRESENCE_FACTORS.week)}
	else ${number(PRESENCE_FACTORS.longAgo)} end)`

/**
 * Those of these members who may still be asked this week. Locks their rows in the order of ids until the transaction ends, so that
 * concurrent rounds cannot exceed the limit.
 */
export async function lockAskable(trx: Executor, userIds: number[]): Promise<Set<number>> {
	await sql`select from routing_members where user_id = any(${userIds}::int[]) order by user_id for update`.execute(trx)
	// A separate statement sees what was committed while waiting for the locks.
	const { rows } = await sql<{ user_id: number }>`
		select user_id from routing_members where user_id = any(${userIds}::int[]) and opted_in and (
			select count(*) from question_asks asked
			where asked.user_id = routing_members.user_id and asked_at > now() - interval '7 days') < ${MAX_ASKED_PER_WEEK}`.execute(
		trx,
	)
	return new Set(rows.map((row) => row.user_id))
}

/** Records who is asked in a round. */
export async function insertAsks(
	trx: Executor,
	{ questionId, round }: { questionId: number; round: number },
	members: readonly Candidate[],
): Promise<void> {
	const rows = members.map(({ user_id, tag_ids, names }) => ({ user_id, tag_ids, names }))
	await sql`insert into question_asks (question_id, user_id, round, tag_ids, names)
		select ${questionId}, user_id, ${round}, tag_ids, names
		from json_to_recordset(${JSON.stringify(rows)}::json) as chosen (user_id int, tag_ids int[], names text[])`.execute(
		trx,
	)
}

/* Settings and views of members. */

/** Records or withdraws a member's “not me”. @returns what they know about the question; undefined if they were not asked */
export async function writeDeclined(
	userId: number,
	questionId: number,
	declined: boolean,
): Promise<string[] | undefined> {
	const { rows } = await sql<{ names: string[] }>`
		update question_asks set declined_at = case when ${declined}::boolean then coalesce(declined_at, now()) end
		where user_id = ${userId} and question_id = ${questionId} returning names`.execute(db())
	return rows[0]?.names
}

/** Sets whether members may be asked. */
export async function writeOptedIn(executor: Executor, userIds: readonly number[], optedIn: boolean): Promise<void> {
	await sql`insert into routing_members (user_id, opted_in)
		select id, ${optedIn} from unnest(${[...userIds]}::int[]) as id order by id
		on conflict (user_id) do update set opted_in = excluded.opted_in`.execute(executor)
}

/** An SQL expression: what a member sees about who was asked about a question, as one row of `asked` ({@link AskedView}), or none. */
export function askedOn(userId: number, questionId: number): RawBuilder<{ asked: AskedView }> {
	const isAsker = sql`q.author_id = any(${accountIdsOf(userId)})`
	return sql`(select jsonb_build_object(
			'people', count(*) filter (where ${isAsker}),
			'mine', (jsonb_agg(jsonb_build_object('names', asks.names, 'declined', asks.declined_at is not null))
				filter (where asks.user_id = ${userId} and not q.solved)) -> 0) as asked
		from question_asks asks join questions q on q.id = asks.question_id
		where asks.question_id = ${questionId} and q.status = 'published' and (${isAsker} or asks.user_id = ${userId})
		having count(*) > 0)`
}
