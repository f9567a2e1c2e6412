import { sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { type AuthorRow, accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { isByAnother } from '~/platform/db/posts.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import { answersWeight, declinedTags, relatedTerms, skillWeight } from './choosing.queries.server.ts'
import { COMPARED_DAYS, FIT_DAYS, MAX_KNOWN_TAGS, MAX_OPEN_PER_TAG, MAX_RECENT_ANSWERS } from './routing.limits.ts'

/* The open questions that a member can answer, and the effect of routing. */

export interface AnswerableRow extends Omit<AuthorRow, 'author_id' | 'pseudonym_id'> {
	id: number
	title: string
	excerpt: string
	tags: string[]
	/** ISO 8601. */
	created_at: string
	comment_count: number
	category_slug: string
	category_title: string
	because: string[]
	/** The sort key, descending; a whole number of seconds. */
	rank: number
}

/** A cursor: rank and id of a row. */
export interface RankCursor {
	rank: number
	id: number
}

/**
 * Open questions with tags that a member knows, by `rank = time of asking + FIT_DAYS · log₂(fit)`, where fit is the sum of what they know
 * about its tags, doubled while there are no comments. Knowledge is defined as by `listCandidates` of `choosing.queries.server.ts`. A
 * rank does not change within a day, so it can be a cursor.
 */
export async function listAnswerableRows(
	userId: number,
	{ cursor, limit }: { cursor: RankCursor | null; limit: number },
): Promise<AnswerableRow[]> {
	const { rows } = await sql<AnswerableRow>`
		with mine as materialized (
			select skills.name, skills.term_key, spelling.term_id, ${skillWeight} as knows
			from profile_skills owned join skills on skills.id = owned.skill_id
				left join term_spellings spelling on spelling.key = skills.term_key
				left join skill_strengths strengths on strengths.user_id = owned.user_id and strengths.skill_id = owned.skill_id
			where owned.user_id = ${userId}),
		listed as (
			select distinct on (tag_id) tag_id, name, knows from (
				select tags.id as tag_id, mine.name, knows * related.share as knows
				from mine join ${relatedTerms} related on related.term_id = mine.term_id
					join term_spellings spelling on spelling.term_id = related.related_id join tags on tags.term_key = spelling.key
				union all
				select tags.id, mine.name, knows from mine join tags on tags.term_key = mine.term_key) named
			order by tag_id, knows desc, name),
		answered as (
			select question_tags.tag_id, tags.name, ${answersWeight(sql`count(distinct questions.id)`)} as knows
			from (select question_id from comments where author_id = ${userId} and status = 'published'
					order by created_at desc, id desc limit ${sql.lit(MAX_RECENT_ANSWERS)}) mine_lately
				join questions on questions.id = mine_lately.question_id and questions.author_id <> ${userId}
				join question_tags on question_tags.question_id = questions.id join tags on tags.id = question_tags.tag_id
			group by 1, 2),
		known as materialized (
			select tag_id, coalesce(listed.name, answered.name) as name,
				(coalesce(listed.knows, 0) + coalesce(answered.knows, 0)) * coalesce(left_over, 1) as knows
			from listed full join answered using (tag_id)
				left join ${declinedTags(sql`user_id = ${userId}`)} declined using (tag_id)
			order by knows desc, tag_id limit ${MAX_KNOWN_TAGS}),
		fitting as (
			select open.question_id, array_agg(known.name order by knows desc, known.name) as names,
				round(extract(epoch from min(open.created_at))::float8 + ${sql.lit(86_400 * FIT_DAYS)}
					* ln(sum(knows) * case when bool_and(open.unanswered) then 2 else 1 end) / ln(2::float8)) as rank
			from known cross join lateral (
				select question_id, created_at, unanswered from question_tags tagged
				where tagged.tag_id = known.tag_id and not tagged.solved
				order by created_at desc, question_id desc limit ${MAX_OPEN_PER_TAG}) open
			where knows > 0 group by open.question_id),
		-- Sorted first: the conditions for this member are only checked until the page is full. With offset 0 they stay a look at one question,
		-- as a join of all would be sorted once more.
		ranked as (select * from fitting order by rank desc, question_id desc offset 0),
		page as (
			select question_id as id, names, rank from ranked cross join lateral (
				select from questions q
				where q.id = ranked.question_id and q.status = 'published' and q.locked_at is null and q.author_id <> all(${accountIdsOf(userId)})
					and not exists (select from comments c where c.question_id = q.id and c.author_id = ${userId} and c.status = 'published')
					and not ${isBlocking(userId, sql.ref('q.author_id'))} and not ${isBlocking(sql.ref('q.author_id'), userId)}
					and not exists (select from muted_subjects muted
						where muted.user_id = ${userId} and subject_type = 'query' and subject_id = q.id)
					and not exists (select from question_asks asked
						where asked.question_id = q.id and asked.user_id = ${userId} and declined_at is not null)
				offset 0) fits
			${cursor ? sql`where (rank, question_id) < (${cursor.rank}::float8, ${cursor.id}::int)` : sql``}
			order by rank desc, question_id desc limit ${limit})
		select q.id, q.title, q.excerpt, q.tags, ${isoTime('q.created_at')} as created_at,
			q.comment_count, users.username, users.name, users.image, users.pseudonym_verified, categories.slug as category_slug, categories.title as category_title,
			page.names as because, page.rank
		from page join questions q on q.id = page.id join users on users.id = q.author_id join categories on categories.id = q.category_id
		order by page.rank desc, page.id desc`.execute(db())
	return rows
}

/** Whether a member may be asked, and the version of their feed's address; undefined for an unknown or absent member. */
export async function findRoutingMember(
	userId: number,
): Promise<{ opted_in: boolean; feed_version: number } | undefined> {
	const { rows } = await sql<{ opted_in: boolean; feed_version: number }>`
		select coalesce(opted_in, false) as opted_in, coalesce(feed_version, 0) as feed_version
		from users left join routing_members on user_id = users.id
		where users.id = ${userId} and users.absent_since is null`.execute(db())
	return rows[0]
}

/** Invalidates the address of a member's feed. */
export async function raiseFeedVersion(userId: number): Promise<void> {
	await sql`insert into routing_members as mine (user_id, feed_version) values (${userId}, 1)
		on conflict (user_id) do update set feed_version = mine.feed_version + 1`.execute(db())
}

/** Totals for questions about which members were asked, or for those left out at random. */
export interface GainRow {
	routed: boolean
	questions: number
	/** Seconds until half of them had an answer by somebody else; null while fewer have. */
	median_seconds: number | null
	/** How many had one within 24 hours. */
	within_day: number
}

/** The results of questions published within {@link COMPARED_DAYS} days, without the last day and without those taken down since. */
export async function readGain(): Promise<GainRow[]> {
	const { rows } = await sql<GainRow>`
		with waited as (
			select routed, (
				select extract(epoch from min(c.created_at) - published_at)::float8 from comments c
				where c.question_id = q.id and ${isByAnother('c')} and c.status = 'published') as seconds
			from question_routing join questions q on q.id = question_id
			where q.status = 'published' and published_at <= now() - interval '1 day'
				and published_at > now() - make_interval(days => ${COMPARED_DAYS}))
		select routed, count(*)::int as questions,
			nullif(round(percentile_disc(0.5) within group (order by coalesce(seconds, 'infinity'))), 'infinity') as median_seconds,
			count(*) filter (where seconds <= 86400)::int as within_day
		from waited group by routed`.execute(db())
	return rows
}

/** The number of members who may be asked. */
export async function countOptedIn(): Promise<number> {
	const { rows } = await sql<{ members: number }>`
		select count(*)::int as members from routing_members where opted_in`.execute(db())
	return rows[0]?.members ?? 0
}
