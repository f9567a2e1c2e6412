import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { type ListedMemberRow, memberColumns } from './directory.queries.server.ts'
import { isEverybody, MAX_WALKED, type Meant, splitGroups, wayOf } from './ways.ts'

/** A place in the order of joining, or in the order of having been seen. */
export interface SearchPosition {
	id: number
	/** ISO 8601, `infinity` or `-infinity`. */
	seenAt?: string
}

export interface FoundRow extends ListedMemberRow {
	/** Which of the sets that were asked for, from 0. */
	tier: number
	seen_at: string
	/** Those of the asked terms that the member has. */
	matched: number[]
}

interface PageInput {
	/** The sets in the order in which they are shown. */
	tiers: Meant[]
	/** How many listed members there are. */
	total: number
	/** Orders each set: who joined last first, or who was seen last. */
	order: 'joined' | 'seen'
	/** Where the page before ended: in `tiers[0]`. */
	after: SearchPosition | null
	/** A member to show before all others. */
	first: number | null
	/** Terms to say of each member whether they have them. */
	matchTerms: number[]
	limit: number
	/** Who looks; null for a visitor. */
	viewerId: number | null
}

/** One page of members: as many of the sets as fill it, read one after the other. */
export async function findPage(input: PageInput): Promise<FoundRow[]> {
	const { tiers, total, order, after, first, matchTerms, limit, viewerId } = input
	const find = order === 'joined' ? joinedLast : seenLast
	const parts = tiers.map(
		(meant, index) =>
			sql`(select user_id, ${sql.lit(index)}::int as tier from ${find(meant, total, index === 0 ? after : null, limit)} found)`,
	)
	if (first !== null) parts.unshift(sql`(select user_id, -1 as tier from member_search where user_id = ${first})`)
	const sorted = order === 'joined' ? sql`page.tier, users.id desc` : sql`page.tier, search.seen_at desc, users.id desc`
	const { rows } = await sql<FoundRow>`
		with page as materialized (${sql.join(parts, sql` union all `)} limit ${limit}),
		known as (
			select user_id, array_agg(skills.name order by position) as skills
			from page join shown_skills using (user_id) join skills on skills.id = skill_id group by user_id)
		select ${memberColumns(viewerId)}, coalesce(known.skills, '{}') as skills, page.tier, case when isfinite(search.seen_at)
			then to_char(search.seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') else search.seen_at::text end as seen_at,
			array(select term from unnest(search.terms) as term where term = any(${matchTerms}::int[])) as matched
		from page join member_search search using (user_id) join users on users.id = page.user_id
		left join shown_profiles profiles on profiles.user_id = users.id left join known on known.user_id = users.id
		order by ${sorted}`.execute(db())
	return rows
}

/**
 * How many of each set have which of the shown terms, counted among the first `most` that are found.
 * @returns a row for each set and term that somebody has
 */
export async function countTerms(
	sets: Meant[],
	total: number,
	shown: number[],
	limit: number,
): Promise<{ set: number; id: number; count: number }[]> {
	const parts = sets.map(
		(meant, index) => sql`(select ${sql.lit(index)}::int as set, terms from ${anyOrder(meant, total, limit)} found)`,
	)
	const { rows } = await sql<{ set: number; id: number; count: number }>`
		select set, id, count(*)::int as count
		from (${sql.join(parts, sql` union all `)}) counted cross join unnest(terms) as id
		join unnest(${shown}::int[]) as shown (id) using (id) group by set, id`.execute(db())
	return rows
}

/**
 * Who joined last. A sum of `user_id` keeps the planner from the index in that order where the index on terms is meant: it
 * cannot know how common a term is, and would walk all members to find a few.
 */
function joinedLast(meant: Meant, total: number, after: SearchPosition | null, limit: number): RawBuilder<unknown> {
	const before = after ? sql`${after.id}::int` : sql`(select max(user_id) + 1 from member_search)`
	if (isEverybody(meant))
		return sql`(select user_id from member_search where user_id < ${before} and ${residue(meant)} order by user_id desc limit ${limit})`
	const way = wayOf(meant, { total, need: limit, order: 'joined' })
	if (way === 'whole')
		return sql`(select user_id from member_search where ${indexed(meant)} and ${residue(meant)} and user_id + 0 < ${before}
			order by user_id + 0 desc limit ${limit})`
	const floor = way === 'walk' ? sql`${before} - ${sql.lit(MAX_WALKED)}` : before
	const blocks = sql`(select found.user_id from generate_series((${floor}) >> 14, 0, -1) as number
		cross join lateral (
			select user_id from member_search where block = number and ${indexed(meant)} and ${residue(meant)} and user_id + 0 < ${floor}
			order by user_id + 0 desc limit ${limit}) found
		limit ${limit})`
	if (way === 'blocks') return blocks
	return sql`(select user_id from (
		(select user_id from member_search where user_id < ${before} and user_id >= ${floor} and ${walked(meant)} and ${residue(meant)}
			order by user_id desc limit ${limit})
		union all ${blocks}) near limit ${limit})`
}

/** Who was seen last, online members first. */
function seenLast(meant: Meant, total: number, after: SearchPosition | null, limit: number): RawBuilder<unknown> {
	const order = sql`order by seen_at desc, user_id desc`
	const beyond = after ? sql`(seen_at, user_id) < (${after.seenAt}::timestamptz, ${after.id}::int)` : sql`true`
	if (isEverybody(meant))
		return sql`(select user_id from member_search where ${beyond} and ${residue(meant)} ${order} limit ${limit})`
	const few = (where: RawBuilder<unknown>) => sql`(select user_id from member_search
		where ${indexed(meant)} and ${residue(meant)} and (${where}) is true order by seen_at + interval '0' desc, user_id desc limit ${limit})`
	if (wayOf(meant, { total, need: limit, order: 'seen' }) === 'whole') return few(beyond)
	// The row after which nothing was walked; nobody has it when everybody was.
	const last = sql`(select seen_at, user_id from member_search where ${beyond} ${order} offset ${MAX_WALKED - 1} limit 1)`
	return sql`(select user_id from (
		(select user_id from (select user_id, seen_at, terms from member_search where ${beyond} ${order} limit ${MAX_WALKED}) near
			where ${walked(meant)} and ${residue(meant)} ${order} limit ${limit})
		union all ${few(sql`(seen_at, user_id) < ${last}`)}) near limit ${limit})`
}

/** Members in no order, at most `limit`, for counting. */
function anyOrder(meant: Meant, total: number, limit: number): RawBuilder<unknown> {
	const way = wayOf(meant, { total, need: limit, order: null })
	if (way === 'whole')
		return sql`(select terms from member_search where ${indexed(meant)} and ${residue(meant)} limit ${limit})`
	const end = sql`(select max(user_id) + 1 from member_search)`
	const floor = way === 'walk' ? sql`${end} - ${sql.lit(MAX_WALKED)}` : end
	const blocks = sql`(select found.terms from generate_series((${floor}) >> 14, 0, -1) as number
		cross join lateral (
			select terms from member_search where block = number and ${indexed(meant)} and ${residue(meant)} and user_id + 0 < ${floor}
			offset 0) found
		limit ${limit})`
	if (way === 'blocks') return blocks
	return sql`(select terms from (
		(select terms from member_search where user_id >= ${floor} and ${walked(meant)} and ${residue(meant)} limit ${limit})
		union all ${blocks}) near limit ${limit})`
}

/** The conditions that the index on terms answers, and those that are cheaper to check in the rows it leaves. */
function indexed(meant: Meant): RawBuilder<unknown> {
	const { looked, checked } = splitGroups(meant)
	const inIndex = hasAll(meant.exactly ? [...looked, unionOf(meant.exactly.groups)] : looked)
	return checked.length > 0 ? sql`${inIndex} and (${hasAll(checked)}) is true` : inIndex
}

/** All of them in a form that no index answers. */
function walked({ groups, exactly }: Meant): RawBuilder<unknown> {
	return sql`(${hasAll(exactly ? [...groups, unionOf(exactly.groups)] : groups)}) is true`
}

function hasAll(groups: { ids: number[] }[]): RawBuilder<unknown> {
	const must = groups.filter(({ ids }) => ids.length === 1).flatMap(({ ids }) => ids)
	const some = groups.filter(({ ids }) => ids.length > 1)
	const parts = some.map(({ ids }) => sql`terms && ${ids}::int[]`)
	if (must.length > 0) parts.unshift(sql`terms @> ${must}::int[]`)
	return sql.join(parts, sql` and `)
}

function unionOf(groups: { ids: number[] }[]): { ids: number[] } {
	return { ids: groups.flatMap(({ ids }) => ids) }
}

/** The conditions that only a row answers. */
function residue({ exactly, not, notUser, notBlocking }: Meant): RawBuilder<unknown> {
	const parts: RawBuilder<unknown>[] = []
	if (exactly) {
		const counts = exactly.groups.map(({ ids }) => sql`(terms && ${ids}::int[])::int`)
		parts.push(sql`(${sql.join(counts, sql` + `)}) = ${exactly.count}`)
	}
	if (not)
		parts.push(
			sql`not (${sql.join(
				not.map(({ ids }) => sql`terms && ${ids}::int[]`),
				sql` and `,
			)})`,
		)
	if (notUser) parts.push(sql`user_id <> ${notUser}`)
	if (notBlocking) parts.push(sql`not ${isBlocking(sql.ref('user_id'), notBlocking)}`)
	return parts.length > 0 ? sql.join(parts, sql` and `) : sql`true`
}
