import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { profilesFor } from '~/features/members/members.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import type { Group } from './criteria.server.ts'
import { type ListedMemberRow, memberColumns } from './directory.queries.server.ts'

/** Members who have one term of each group of any of these lists. */
export interface MemberSet {
	ways: Group[][]
	/** A rough estimate of their number: it decides how they are read, never who is found. */
	members: number
	/** Excludes members who match this, as they came before. */
	not?: Group[][]
	/** A member who came before. */
	notUser?: number | null
	/** Only these members, or without them; they come first. */
	among?: number[]
	notAmong?: number[]
	/** Excludes those who block this member, where the set depends on presence. */
	notBlocking?: number | null
	/** Whether the viewer is a visitor: only terms that members show to everybody count. */
	isPublic: boolean
}

/** A position in the order of joining, or of last presence. */
export interface SearchPosition {
	id: number
	/** ISO 8601, `infinity` or `-infinity`. */
	seenAt?: string
}

export interface FoundRow extends ListedMemberRow {
	/** Index of the set that it was found by. */
	tier: number
	seen_at: string
	/** The requested terms that the member has. */
	matched: number[]
	/** In the first row of a page whose set is read at once: how many members of it have each term that filters offer. */
	counted: Record<string, number> | null
}

interface PageInput {
	/** The sets in display order. */
	tiers: MemberSet[]
	/** Order within each set: newest first, or last seen first. */
	order: 'joined' | 'seen'
	/** All of the sets as one that is read at once, and counted as by {@link countFacets}; null to read set by set. Only on first pages. */
	whole: { meant: MemberSet; limit: number } | null
	/** Where the previous page ended: within `tiers[0]`. */
	after: SearchPosition | null
	/** A member to show before all others. */
	first: number | null
	/** Terms for which the rows say whether each member has them. */
	matchTerms: number[]
	limit: number
	/** The viewer's id; null for a visitor. */
	viewerId: number | null
}

/*
 * A small set is fetched whole. For a larger one, the newest members are scanned first, the blocks of RANGES, MAX_BLOCKS blocks or
 * MAX_WALKED members, until the page is full; only then all members are searched.
 * docs/decisions/0058-people-by-documents.md explains it, docs/decisions/0122-a-page-and-its-counts-read-once.md how a first page is
 * read with its counts, and docs/decisions/0126-from-the-rarest-word.md what the index is asked first.
 */
/** Sets of up to this size are fetched whole. */
export const MAX_FETCHED = 1_000
/** The same for a first page. Words that occur together are more common than is estimated, and the newest blocks cost little. */
const MAX_FETCHED_FIRST = 100
/** Sets of up to this size are fetched whole for a first page with its counts: for larger ones the newest blocks cost less. */
export const MAX_FETCHED_ONCE = 1_500
/** Alternatives that the index merges quickly. */
const MAX_MERGED = 8
/** Blocks of 1,024 members (migrations/0042_member_documents.sql) that are scanned one after the other for a later page. */
export const MAX_BLOCKS = 16
/** The newest blocks that are scanned for a first page: so many in all, until the page is full. */
const RANGES = [2, 16, 64]
const BLOCK_BITS = 10
/** Blocks that are sampled to estimate the size of a set: one for so many members, up to four. */
const MAX_SAMPLED = 4
const MEMBERS_PER_SAMPLED = 250_000
/** Minimum members of these blocks for an estimate. */
const MIN_SAMPLED = 256
/** Members in order of last presence that are scanned. */
export const MAX_WALKED = 2_048

/** One page of members, from as many of the sets as fill it, one after the other. */
export async function findPage(input: PageInput): Promise<FoundRow[]> {
	const { tiers, order, whole, after, first, matchTerms, limit, viewerId } = input
	const find = order === 'joined' ? joinedLast : seenLast
	const parts = whole
		? [firstOfWhole(input)]
		: tiers.map(
				(meant, index) =>
					sql`(select user_id, ${sql.lit(index)}::int as tier from ${find(meant, index === 0 ? after : null, limit)} found)`,
			)
	if (first !== null) parts.unshift(sql`(select user_id, -1 as tier from member_search where user_id = ${first})`)
	const sorted = order === 'joined' ? sql`page.tier, users.id desc` : sql`page.tier, search.seen_at desc, users.id desc`
	const { rows } = await sql<FoundRow>`
		with ${whole ? sql`found as materialized (${readAtOnce(whole.meant, tiers)}),` : sql``}
			page as materialized (${sql.join(parts, sql` union all `)} limit ${limit})
		select ${memberColumns(viewerId)}, page.tier, case when isfinite(search.seen_at)
			then ${isoTime('search.seen_at')} else search.seen_at::text end as seen_at,
			array(select term from unnest(${viewerId === null ? sql`search.public_terms` : sql`search.terms`}) as term where term = any(${matchTerms}::int[])) as matched,
			${whole ? sql`case when row_number() over (order by ${sorted}) = 1 then ${countsOfWhole(whole)} end` : sql`null::jsonb`} as counted
		from page join member_search search using (user_id) join users on users.id = page.user_id
		left join ${profilesFor(viewerId)} profiles on profiles.user_id = users.id
		order by ${sorted}`.execute(db())
	return rows
}

/** All members of a set that is read at once, each with the first of the sets of the list that has them. */
function readAtOnce(whole: MemberSet, tiers: MemberSet[]): RawBuilder<unknown> {
	const terms = whole.isPublic ? sql`public_terms` : sql`terms`
	const steps = tiers.slice(0, -1).map((meant, index) => {
		const parts = [hasAny(meant.ways, terms), ...amongParts(meant)]
		return sql`when ${sql.join(parts, sql` and `)} then ${sql.lit(index)}`
	})
	const last = sql.lit(tiers.length - 1)
	const tier = steps.length > 0 ? sql`case ${sql.join(steps, sql` `)} else ${last} end` : sql`${last}::int`
	return sql`select user_id, seen_at, facets, public_terms, ${tier} as tier from member_search where ${isInSet(whole)}`
}

/** The first members of a set that is read at once. */
function firstOfWhole({ tiers, order, limit }: PageInput): RawBuilder<unknown> {
	const notUser = tiers.at(-1)?.notUser
	const others = notUser ? sql`user_id <> ${notUser}` : sql`true`
	const sorted = order === 'joined' ? sql`tier, user_id desc` : sql`tier, seen_at desc, user_id desc`
	return sql`(select user_id, tier from (select user_id, tier from found where ${others} order by ${sorted} limit ${limit}) first)`
}

/** How many of the first members of a set that is read at once have each term that filters offer. */
function countsOfWhole({ meant, limit }: NonNullable<PageInput['whole']>): RawBuilder<unknown> {
	return sql`(select jsonb_object_agg(id, count) from (
		select id, count(*) as count from (select facets, public_terms from found limit ${limit}) found
		cross join unnest(${facetsOf(meant)}) as id group by id) counted)`
}

/**
 * Estimates how many members a set has, from some blocks that are spread over all.
 * @param total the number of listed members
 * @returns null if these blocks have too few members to tell; for a set of more than MAX_FETCHED_ONCE members at least so many
 */
export async function estimateSetSize(meant: MemberSet, total: number): Promise<number | null> {
	const blocks = Math.min(MAX_SAMPLED, Math.ceil(total / MEMBERS_PER_SAMPLED))
	const enough = Math.ceil((2 * MAX_FETCHED_ONCE * (blocks << BLOCK_BITS)) / total)
	const { rows } = await sql<{ sampled: number; found: number }>`
		with spread as materialized (
			select distinct newest * (2 * number + 1) / ${sql.lit(2)} / ${blocks}::int as number
			from generate_series(0, ${blocks}::int - 1) as number, (select max(user_id) >> ${sql.lit(BLOCK_BITS)} as newest from member_search) last)
		select (select count(*)::int from spread cross join lateral (select from member_search
				where user_id >= number << ${sql.lit(BLOCK_BITS)} and user_id < (number + 1) << ${sql.lit(BLOCK_BITS)} offset 0) one) as sampled,
			(select count(*)::int from (select from spread cross join lateral (
				select from member_search where block = number and ${isInSet(meant)} offset 0) one limit ${enough}) counted) as found`.execute(
		db(),
	)
	const { sampled = 0, found = 0 } = rows[0] ?? {}
	return sampled < MIN_SAMPLED ? null : (found * total) / sampled
}

/**
 * Counts the terms that filters offer, among all members of a small set and the first `limit` of another.
 * @returns a row for each set and term that somebody has
 */
export async function countFacets(
	sets: MemberSet[],
	limit: number,
): Promise<{ set: number; id: number; count: number }[]> {
	const parts = sets.map(
		(meant, index) =>
			sql`(select ${sql.lit(index)}::int as set, ${facetsOf(meant)} as facets from ${anyOrder(meant, limit)} found)`,
	)
	const { rows } = await sql<{ set: number; id: number; count: number }>`
		select set, id, count(*)::int as count
		from (${sql.join(parts, sql` union all `)}) counted cross join unnest(facets) as id group by set, id`.execute(db())
	return rows
}

/** The terms of a member that filters count. */
function facetsOf({ isPublic }: MemberSet): RawBuilder<unknown> {
	return isPublic ? sql`array(select unnest(facets) intersect select unnest(public_terms))` : sql`facets`
}

/** The size of a set, counted up to `limit`. */
export async function countSetMembers(meant: MemberSet, limit: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from (select from ${anyOrder(meant, limit)} found limit ${limit}) counted`.execute(
		db(),
	)
	return rows[0]?.count ?? 0
}

/**
 * Newest first. The expression around `user_id` keeps the planner from using the index in that order instead of the index on terms:
 * it cannot know how common a term is, and would scan all members to find a few.
 */
function joinedLast(meant: MemberSet, after: SearchPosition | null, limit: number): RawBuilder<unknown> {
	const before = after ? sql`${after.id}::int` : sql`(select max(user_id) + 1 from member_search)`
	if (isEverybody(meant))
		return sql`(select user_id from member_search where user_id < ${before} and ${residue(meant)} order by user_id desc limit ${limit})`
	const found = sql`${isInSet(meant)} and user_id + 0 < ${before}`
	const order = sql`order by user_id + 0 desc limit ${limit}`
	const all = (where: RawBuilder<unknown>) =>
		sql`(select user_id from member_search where ${where} and ${found} ${order})`
	if (meant.members <= (after ? MAX_FETCHED : MAX_FETCHED_FIRST)) return all(sql`true`)
	const near = after
		? sql`${blocksFrom(before)} cross join lateral (
			select user_id from member_search where block = number and ${found} ${order}) found`
		: sql`${newestRanges} cross join lateral (
			select user_id from member_search where ${found} and ${isInRange} ${order}) found`
	return sql`(select user_id from ((select found.user_id from ${near} limit ${limit})
		union all ${all(after ? isBeyondBlocks(before) : isBeyondRanges)}) near limit ${limit})`
}

/** Last seen first, online members before all others. */
function seenLast(meant: MemberSet, after: SearchPosition | null, limit: number): RawBuilder<unknown> {
	const order = sql`order by seen_at desc, user_id desc`
	const beyond = after ? sql`(seen_at, user_id) < (${after.seenAt}::timestamptz, ${after.id}::int)` : sql`true`
	if (isEverybody(meant))
		return sql`(select user_id from member_search where ${beyond} and ${residue(meant)} ${order} limit ${limit})`
	const all = (where: RawBuilder<unknown>) => sql`(select user_id from member_search
		where ${isInSet(meant)} and ${where} order by seen_at + interval '0' desc, user_id desc limit ${limit})`
	if (meant.members <= MAX_FETCHED) return all(sql`(${beyond}) is true`)
	// The row after which the scan ended; none when everybody was scanned.
	const last = (column: RawBuilder<unknown>) =>
		sql`(select ${column} from member_search where ${beyond} ${order} offset ${sql.lit(MAX_WALKED - 1)} limit 1)`
	return sql`(select user_id from (
		(select user_id from (select user_id, seen_at, terms, public_terms from member_search where ${beyond} ${order} limit ${sql.lit(MAX_WALKED)}) near
			where (${isInSet(meant)}) is true ${order} limit ${limit})
		union all ${all(sql`${last(sql`user_id`)} is not null
			and ((seen_at, user_id) < (${last(sql`seen_at`)}, ${last(sql`user_id`)})) is true`)}) near limit ${limit})`
}

/**
 * Members in no order, for counting: at most `limit`, or all of a set that is fetched whole. With a limit, PostgreSQL would scan
 * the table instead of the index, as it cannot know how rare they are.
 */
function anyOrder(meant: MemberSet, limit: number): RawBuilder<unknown> {
	if (meant.members <= MAX_FETCHED) return sql`(select facets, public_terms from member_search where ${isInSet(meant)})`
	const found = isInSet(meant)
	if (meant.members <= MAX_FETCHED_ONCE)
		return sql`(with found as materialized (select facets, public_terms from member_search where ${found})
			select facets, public_terms from found limit ${limit})`
	return sql`(select facets, public_terms from (
		(select found.facets, found.public_terms from ${newestRanges} cross join lateral (
			select facets, public_terms from member_search where ${found} and ${isInRange} offset 0) found limit ${limit})
		union all (select facets, public_terms from member_search where ${isBeyondRanges} and ${found} offset 0)) near limit ${limit})`
}

/** The numbers of the blocks to scan, newest first: that of the member who joined just before a position, and those before it. */
function blocksFrom(before: RawBuilder<unknown>): RawBuilder<unknown> {
	const newest = sql`((${before}) - 1) >> ${sql.lit(BLOCK_BITS)}`
	return sql`generate_series(${newest}, greatest((${newest}) - ${sql.lit(MAX_BLOCKS - 1)}, 0), -1) as number`
}

/** Whether a member is in none of these blocks. The first condition is known at once: without further blocks, nothing is read. */
function isBeyondBlocks(before: RawBuilder<unknown>): RawBuilder<unknown> {
	const oldest = sql`(((${before}) - 1) >> ${sql.lit(BLOCK_BITS)}) - ${sql.lit(MAX_BLOCKS - 1)}`
	return sql`${oldest} > 0 and block + 0 < ${oldest}`
}

/** The number of the newest block. */
const newestBlock = sql`(select max(user_id) >> ${sql.lit(BLOCK_BITS)} from member_search)`

/** The first and the last block of each range, the newest first. */
const newestRanges = sql`(select newest - width + 1 as oldest, newest - nearer as latest
	from (select ${newestBlock} as newest offset 0) last cross join (values ${sql.join(
		RANGES.map((width, index) => sql`(${sql.lit(RANGES[index - 1] ?? 0)}, ${sql.lit(width)})`),
	)}) as ranges (nearer, width) where newest >= nearer) as ranges`

/**
 * Whether a member is in a range. The index reads the blocks from the oldest of the range to the newest of all in one pass; blocks one
 * by one would be looked up for each term. The other conditions only tell the planner that these are few.
 */
const isInRange = sql`block >= oldest and block + 0 >= oldest and block + 0 <= latest`

/** Whether a member is older than all ranges. The first condition is known at once: without further blocks, nothing is read. */
const isBeyondRanges = sql`${newestBlock} >= ${sql.lit(RANGES.at(-1))} and block + 0 <= ${newestBlock} - ${sql.lit(RANGES.at(-1))}`

/** The terms of a set, which the index checks, and the conditions that need its rows. */
function isInSet(meant: MemberSet): RawBuilder<unknown> {
	return sql`${hasAny(meant.ways, sql`terms`)} and ${residue(meant)}`
}

function hasAny(ways: Group[][], terms: RawBuilder<unknown>): RawBuilder<unknown> {
	return sql`(${sql.join(
		ways.map((groups) => hasAll(groups, terms)),
		sql` or `,
	)})`
}

/**
 * The index takes each member of the first condition and looks for them in the next one, so the rarest comes first; but it compares all
 * alternatives of a condition at each step, so many of them come last.
 */
function hasAll(groups: Group[], terms: RawBuilder<unknown>): RawBuilder<unknown> {
	const rarity = ({ members, counted = members }: Group) => counted || Number.POSITIVE_INFINITY
	const must = groups.filter(({ ids }) => ids.length === 1)
	const parts = groups
		.filter(({ ids }) => ids.length !== 1)
		.map((group) => ({
			part: sql`${terms} && ${group.ids}::int[]`,
			cost: rarity(group) * Math.max(1, group.ids.length / MAX_MERGED),
		}))
	if (must.length > 0)
		parts.unshift({
			part: sql`${terms} @> ${must.flatMap(({ ids }) => ids)}::int[]`,
			cost: Math.min(...must.map(rarity)) / must.length,
		})
	return sql.join(
		parts.toSorted((one, other) => one.cost - other.cost).map(({ part }) => part),
		sql` and `,
	)
}

/** Whether a set leaves nobody out. */
export function isEverybody({ ways }: MemberSet): boolean {
	return ways.some((groups) => groups.length === 0)
}

/** The conditions that only a row can decide. */
function residue(meant: MemberSet): RawBuilder<unknown> {
	const { ways, not, notUser, notBlocking, isPublic } = meant
	const parts: RawBuilder<unknown>[] = []
	const terms = isPublic ? sql`public_terms` : sql`terms`
	if (isPublic && !isEverybody(meant)) parts.push(hasAny(ways, terms))
	parts.push(...amongParts(meant))
	if (not && not.length > 0) parts.push(sql`(${hasAny(not, terms)}) is not true`)
	if (notUser) parts.push(sql`user_id <> ${notUser}`)
	if (notBlocking) parts.push(sql`not ${isBlocking(sql.ref('user_id'), notBlocking)}`)
	return parts.length > 0 ? sql.join(parts, sql` and `) : sql`true`
}

function amongParts({ among, notAmong }: MemberSet): RawBuilder<unknown>[] {
	return [
		...(among ? [sql`user_id = any(${among}::int[])`] : []),
		...(notAmong ? [sql`user_id <> all(${notAmong}::int[])`] : []),
	]
}
