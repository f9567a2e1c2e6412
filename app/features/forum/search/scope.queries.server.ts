import { type RawBuilder, sql } from 'kysely'
import { db } from '~/db/db.server.ts'
import type { TimeCursor } from '~/lib/cursors.ts'
import { type QueryRow, queryColumns, queryJoins } from '../forum.queries.server.ts'

/** What a list is narrowed to. Of tags all are wanted; of categories and authors one of each row, as a query has only one. */
export interface Scope {
	tags: string[]
	/** Ids; null where it is not asked for. An empty list is what nothing is in. */
	categories: number[] | null
	users: number[] | null
	without: { tags: string[]; categories: number[]; users: number[] }
	/** Each is wanted, unwanted, or not asked about. */
	solved?: boolean
	unanswered?: boolean
}

interface Names {
	categories: string[]
	users: string[]
}

/** The ids of categories and members, those that exist. */
export async function findIds(wanted: Names, unwanted: Names): Promise<Record<keyof Names, number[]>[]> {
	const { rows } = await sql<Record<keyof Names, number[]>>`
		select array(select id from categories where slug = any(categories::text[])) as categories,
			array(select id from users where username = any(users::text[])) as users
		from (values (1, ${wanted.categories}::text[], ${wanted.users}::text[]), (2, ${unwanted.categories}::text[], ${unwanted.users}::text[])) named (place, categories, users)
		order by place`.execute(db())
	return rows
}

/** More matches than this of several conditions together are read in the order of time, as a page needs only the first. */
const mostSorted = 1_000

/**
 * The newest queries within a scope, exactly in the order of time. The rarest condition that has an index in that order is
 * walked, and what else is wanted filters. Where several conditions meet, their intersection is looked at first: when it is
 * small, all of it is sorted; when it is not, the walk soon meets a page of it.
 */
export async function scopedRows({
	cursor,
	limit,
	...scope
}: Scope & { cursor: TimeCursor | null; limit: number }): Promise<QueryRow[]> {
	const { tags, categories, users } = scope
	const meeting = tags.length + (categories ? 1 : 0) + (users ? 1 : 0) > 1
	const byTag = tags.length > 0 && !users
	const at = sql.raw(byTag ? 't.created_at' : 'q.created_at')
	const id = sql.raw(byTag ? 't.query_id' : 'q.id')
	const after = (time: RawBuilder<unknown>, key: RawBuilder<unknown>) =>
		cursor ? sql`and (${time}, ${key}) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``
	const walked = sql`
		select q.id, ${at} as created_at from ${byTag ? sql`query_tags t join queries q on q.id = t.query_id` : sql`queries q`}
		where ${meeting ? sql`(select count(*) from few) > ${mostSorted} and` : sql``} ${conditions(scope)}
		${byTag ? sql`and t.tag_id = (select id from tags where name = any(${tags}::text[]) order by query_count, id limit 1)` : sql``}
		${byTag && scope.solved ? sql`and t.solved` : sql``} ${byTag && scope.unanswered ? sql`and t.unanswered` : sql``}
		${after(at, id)} order by ${at} desc, ${id} desc limit ${limit}`
	const sorted = sql`
		select few.id, few.created_at from few where (select count(*) from few) <= ${mostSorted}
		${after(sql`few.created_at`, sql`few.id`)} order by few.created_at desc, few.id desc limit ${limit}`
	const { rows } = await sql<QueryRow>`
		with ${meeting ? fewRows(scope) : sql``}
		page as (${meeting ? sql`(${walked}) union all (${sorted})` : walked})
		select ${queryColumns} from page join queries q on q.id = page.id ${queryJoins}
		order by q.created_at desc, q.id desc`.execute(db())
	return rows
}

/** The matches in no order, one more than can be sorted. A wall keeps the planner from counting on an early end. */
function fewRows(scope: Scope): RawBuilder<unknown> {
	return sql`
		matching as materialized (select q.id, q.created_at from queries q where ${conditions(scope)}),
		few as materialized (select id, created_at from matching limit ${mostSorted + 1}),`
}

/** What the rows of `queries q` must have; each list of ids and of tags is a part of the index queries_found. */
export function conditions({ tags, categories, users, without, solved, unanswered }: Scope): RawBuilder<unknown> {
	const all = [sql`q.deleted_at is null`]
	if (tags.length > 0) all.push(sql`q.tags @> ${tags}::text[]`)
	if (categories) all.push(oneOf('q.category_id', categories))
	if (users) all.push(oneOf('q.author_id', users))
	if (without.tags.length > 0) all.push(sql`not q.tags && ${without.tags}::text[]`)
	if (without.categories.length > 0) all.push(sql`q.category_id <> all(${without.categories}::int[])`)
	if (without.users.length > 0) all.push(sql`q.author_id <> all(${without.users}::int[])`)
	if (solved !== undefined) all.push(solved ? sql`q.solved` : sql`not q.solved`)
	if (unanswered !== undefined) all.push(unanswered ? sql`q.comment_count = 0` : sql`q.comment_count > 0`)
	return sql.join(all, sql` and `)
}

/** One value as an equality, so that an index in the order of time keeps its order. */
function oneOf(column: string, ids: number[]): RawBuilder<unknown> {
	return ids.length === 1 ? sql`${sql.raw(column)} = ${ids[0]}::int` : sql`${sql.raw(column)} = any(${ids}::int[])`
}
