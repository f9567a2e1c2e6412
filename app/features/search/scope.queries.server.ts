import { type RawBuilder, sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'

/** What to select for each question, which the statement calls `q`: the caller's columns and joins. */
export interface Selection<Row> {
	columns: RawBuilder<Row>
	joins: RawBuilder<unknown>
}

/**
 * Restrictions of a list. A question must have all of the tags, and one of each list of categories and authors, as it
 * has only one of each.
 */
export interface SearchScope {
	tags: string[]
	/** Of each list, a question must have one. */
	eitherTags: string[][]
	/** Ids; null for no restriction. An empty list matches nothing. */
	categories: number[] | null
	users: number[] | null
	without: { tags: string[]; categories: number[]; users: number[] }
	/** The id of a question that is left out. */
	except: number | null
	/** A condition on `questions q` that no index answers. */
	filter?: RawBuilder<unknown>
	/** True, false, or undefined for no restriction. */
	solved?: boolean
	unanswered?: boolean
	/** Has comments but no solution. */
	unsolved?: boolean
}

/** Whether nothing can match, as no category or member has the given name. Check it first, as such a condition would not use the index. */
export function matchesNothing({ categories, users }: SearchScope): boolean {
	return categories?.length === 0 || users?.length === 0
}

interface Names {
	categories: string[]
	users: string[]
}

/** The ids of existing categories and members. */
export async function findIds(wanted: Names, unwanted: Names): Promise<Record<keyof Names, number[]>[]> {
	const { rows } = await sql<Record<keyof Names, number[]>>`
		select array(select distinct category_at(slug) from unnest(categories::text[]) as slug where category_at(slug) is not null) as categories,
			array(select user_id from usernames where username = any(users::text[]) and user_id is not null) as users
		from (values (1, ${wanted.categories}::text[], ${wanted.users}::text[]), (2, ${unwanted.categories}::text[], ${unwanted.users}::text[])) named (place, categories, users)
		order by place`.execute(db())
	return rows
}

/** Up to this many matches of combined conditions are sorted; with more, a scan in chronological order soon fills a page. */
const MAX_SORTED = 3_000
/** This many matches in the newest ten blocks of questions show that there are many, without counting. */
const MANY_MATCHES = 100

interface ScopePage {
	cursor: TimeCursor | null
	limit: number
}

/**
 * The newest questions within a scope, in exact chronological order. The rarest tag, alternative tags, the member, the category or all
 * questions are scanned by an index in that order, and further conditions filter them. Where combined conditions rarely match, that scan
 * would be long: then their intersection is read from an index and sorted.
 */
export async function scopedRows<Row>(
	{ columns, joins }: Selection<Row>,
	{ cursor, limit, ...scope }: SearchScope & ScopePage,
): Promise<Row[]> {
	if (matchesNothing(scope)) return []
	const { tags, eitherTags, categories, users } = scope
	const meeting = eitherTags.length > 0 || tags.length + (categories ? 1 : 0) + (users ? 1 : 0) > 1
	const walked = walkedRows(scope, { cursor, limit }, meeting ? sql`(select often from density) and` : sql``)
	const sorted = sql`
		select few.id, few.created_at from few where not (select often from density)
		${orderAndLimit({ cursor, limit }, sql`few.created_at`, sql`few.id`)}`
	const { rows } = await sql<Row>`
		with ${meeting ? fewRows(scope) : sql``}
		page as (${meeting ? sql`(${walked}) union all (${sorted})` : walked})
		select ${columns} from page join questions q on q.id = page.id ${joins}
		order by q.created_at desc, q.id desc`.execute(db())
	return rows
}

/** The end of a statement that reads a page of rows in chronological order. */
function orderAndLimit(
	{ cursor, limit }: ScopePage,
	time: RawBuilder<unknown>,
	id: RawBuilder<unknown>,
): RawBuilder<unknown> {
	const after = cursor ? sql`and (${time}, ${id}) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``
	return sql`${after} order by ${time} desc, ${id} desc limit ${limit}`
}

/** A scan in chronological order. @param often a condition for it, with `and`, or nothing */
function walkedRows(scope: SearchScope, page: ScopePage, often: RawBuilder<unknown>): RawBuilder<unknown> {
	const { tags, users } = scope
	const [either] = scope.eitherTags
	// `offset 0` keeps the filter a filter: otherwise a plan for arbitrary tags would sort every question of a common one.
	const ofTag = (tagId: RawBuilder<unknown>) => sql`
		select t.question_id as id, t.created_at from question_tags t
		cross join lateral (select from questions q where q.id = t.question_id and ${conditions(scope)} offset 0) matching
		where ${often} t.tag_id = ${tagId}
		${scope.solved ? sql`and t.solved` : sql``} ${scope.unanswered ? sql`and t.unanswered` : sql``}
		${scope.unsolved ? sql`and not t.unanswered and not t.solved` : sql``}
		${orderAndLimit(page, sql`t.created_at`, sql`t.question_id`)}`
	if (tags.length > 0 && !users)
		return ofTag(sql`(select id from tags where name = any(${tags}::text[]) order by question_count, id limit 1)`)
	// The first page of each alternative; a question may have several.
	if (either && !users)
		return sql`
		select newest.id, newest.created_at from tags cross join lateral (${ofTag(sql`tags.id`)}) newest
		where tags.name = any(${either}::text[])
		group by newest.id, newest.created_at order by newest.created_at desc, newest.id desc limit ${page.limit}`
	return sql`
		select q.id, q.created_at from questions q where ${often} ${conditions(scope)}
		${orderAndLimit(page, sql`q.created_at`, sql`q.id`)}`
}

/**
 * The matches in no order, one more than can be sorted, unless the newest questions already show that there are many;
 * and which case applies. Optimization fences keep the planner from relying on an early end.
 */
function fewRows(scope: SearchScope): RawBuilder<unknown> {
	const matching = sql`select q.id, q.created_at from questions q where ${conditions(scope)}`
	return sql`
		newest as materialized (${walkBlocks(conditions(scope), sql`0`, sql`9`)} limit ${MANY_MATCHES}),
		matching as materialized (
			${matching} and ((select count(*) from newest) < ${MANY_MATCHES} or (select max(id) >> 12 from questions) < 10)),
		few as materialized (select id, created_at from matching limit ${MAX_SORTED + 1}),
		density as materialized (
			select (select count(*) from newest) >= ${MANY_MATCHES} and (select max(id) >> 12 from questions) >= 10
				or (select count(*) from few) > ${MAX_SORTED} as often),`
}

/**
 * As {@link conditions}, beside words. There are indexes of all questions in a state for the lists of them: the planner would read one as a
 * whole, a fourth of the forum, to intersect it with what the words find. It does not know `coalesce` as a condition of theirs.
 * The index of unanswered questions is made with it.
 * @param isPublished true where the caller checks the status of the questions later
 */
export function conditionsBesideWords(
	scope: SearchScope,
	isPublished = sql`q.status = 'published'`,
): RawBuilder<unknown> {
	return conditions(scope, (state) => sql`coalesce(${state}, false)`, isPublished)
}

/** Conditions on `questions q`; each list of ids and tags is part of the index questions_found. */
export function conditions(
	{ tags, eitherTags, categories, users, without, except, filter, ...states }: SearchScope,
	stateIs = (state: RawBuilder<unknown>) => state,
	isPublished = sql`q.status = 'published'`,
): RawBuilder<unknown> {
	const all = [isPublished]
	if (tags.length > 0) all.push(sql`q.tags @> ${tags}::text[]`)
	for (const either of eitherTags) all.push(sql`q.tags && ${either}::text[]`)
	if (categories) all.push(oneOf('q.category_id', categories))
	if (users) all.push(oneOf('q.author_id', users))
	if (without.tags.length > 0) all.push(sql`not q.tags && ${without.tags}::text[]`)
	if (without.categories.length > 0) all.push(sql`q.category_id <> all(${without.categories}::int[])`)
	if (without.users.length > 0) all.push(sql`q.author_id <> all(${without.users}::int[])`)
	if (except !== null) all.push(sql`q.id <> ${except}::int`)
	if (filter) all.push(filter)
	const { solved, unanswered, unsolved } = states
	if (solved !== undefined) all.push(stateIs(solved ? sql`q.solved` : sql`not q.solved`))
	if (unanswered !== undefined) all.push(stateIs(unanswered ? sql`q.comment_count = 0` : sql`q.comment_count > 0`))
	if (unsolved !== undefined)
		all.push(stateIs(unsolved ? sql`q.comment_count > 0 and not q.solved` : sql`(q.comment_count = 0 or q.solved)`))
	return sql.join(all, sql` and `)
}

/** A single value as an equality, so that a chronological index keeps its order. */
function oneOf(column: string, ids: number[]): RawBuilder<unknown> {
	return ids.length === 1 ? sql`${sql.raw(column)} = ${ids[0]}::int` : sql`${sql.raw(column)} = any(${ids}::int[])`
}

/**
 * The ids of `questions q` that meet a condition, newest first, block by block of 4,096 ids, with which the indexes questions_found
 * and questions_title begin. Whatever stops reading, such as a limit, stops the scan in that block: nothing may sort or join after
 * it. The block is an equality, as the planner drops a list of blocks from the index once other conditions seem rare, which they
 * always do in a prepared statement.
 * @param from first block, 0 for the newest, which may have few questions
 * @param until last block
 * @param columns of the questions, the id by default
 * @param newest number of the newest block, where the statement has it already
 */
export function walkBlocks(
	where: RawBuilder<unknown>,
	from: RawBuilder<unknown>,
	until: RawBuilder<unknown>,
	columns = ['id'],
	newest = sql`(select max(id) >> 12 from questions)`,
): RawBuilder<unknown> {
	const of = (row: string) => sql.raw(columns.map((column) => `${row}.${column}`).join(', '))
	return sql`select ${of('hit')} from generate_series(${from}, ${until}) n cross join lateral (
select ${of('q')} from questions q where (q.id >> 12) = ${newest} - n and ${where} order by q.id desc) hit`
}

/**
 * `id, ctid` of the questions within a scope among the newest blocks, newest first. Whatever stops reading stops the scan, as in {@link walkBlocks}.
 * @param blocks how many blocks of 4,096 ids
 * @param isWanted a condition; where it is false, nothing is read
 */
export function newestRows(scope: SearchScope, blocks: number, isWanted: RawBuilder<unknown>): RawBuilder<unknown> {
	const { tags, eitherTags, categories, users, unanswered } = scope
	const matching = conditionsBesideWords(scope)
	const isInIndex = tags.length > 0 || eitherTags.length > 0 || categories || users || unanswered
	if (isInIndex) return sql`${walkBlocks(matching, sql`0`, sql`${blocks - 1}::int`, ['id', 'ctid'])} where ${isWanted}`
	// With nothing but the block to find by, the planner would read the ids of all questions for each block.
	return sql`
		select q.id, q.ctid from questions q
		where ${isWanted} and q.id >= (select ((max(id) >> 12) - ${blocks - 1}::int) << 12 from questions) and ${matching}
		order by q.id desc`
}
