import { sql } from 'kysely'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { namesOneOf } from '~/platform/db/member-names.queries.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import type { Merge } from '~/platform/member-data.ts'
import { MAX_NEW_RESULTS, SEARCH_UNDO_SECONDS } from './following.limits.ts'
import type { SearchSourceKind } from './following.view.ts'

export interface SavedSearchRow {
	id: number
	kind: SearchSourceKind
	query: string
	name: string
	hits: number
}

/** A member's saved searches, newest first. */
export async function listSavedSearchRows(userId: number): Promise<SavedSearchRow[]> {
	const { rows } = await sql<SavedSearchRow>`
		select id, kind, query, name, hits from saved_searches where user_id = ${userId} and removed_at is null
		order by created_at desc, id desc`.execute(db())
	return rows
}

/** Counts a member's saved searches except one. The member's row must be locked. */
export async function countSavedSearches(trx: Executor, userId: number, except: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from saved_searches where user_id = ${userId} and removed_at is null and id <> ${except}`.execute(
		trx,
	)
	return rows[0]?.count ?? 0
}

/** The id of a member's saved search, including removed ones; 0 without one. */
export async function findSavedId(
	trx: Executor,
	userId: number,
	kind: SearchSourceKind,
	query: string,
): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		select id from saved_searches where user_id = ${userId} and kind = ${kind} and query = ${query}`.execute(trx)
	return rows[0]?.id ?? 0
}

/**
 * Saves or renames a search. A recently removed one is restored as it was; an older one starts from zero.
 * @param seen who matches it now
 * @returns its id and its hits
 */
export async function writeSavedSearch(
	trx: Executor,
	userId: number,
	{ kind, query, name, seen }: Pick<SavedSearchRow, 'kind' | 'query' | 'name'> & { seen: number[] },
): Promise<Pick<SavedSearchRow, 'id' | 'hits'>> {
	const isOver = sql`coalesce(mine.removed_at < ${undoBegin}, false)`
	const { rows } = await sql<Pick<SavedSearchRow, 'id' | 'hits'>>`
		insert into saved_searches as mine (user_id, kind, query, name, seen)
		values (${userId}, ${kind}, ${query}, ${name}, ${seen}::int[])
		on conflict (user_id, kind, query) do update set name = excluded.name, removed_at = null,
			created_at = case when ${isOver} then now() else mine.created_at end,
			checked_at = case when ${isOver} then now() else mine.checked_at end,
			seen = case when ${isOver} then excluded.seen else mine.seen end,
			hits = case when ${isOver} then 0 else mine.hits end
		returning id, hits`.execute(trx)
	if (!rows[0]) throw new Error('No search was saved.')
	return rows[0]
}

/** The searches of a merged account that the kept account has saved, too, which are not moved. */
export async function listSharedSearches(trx: Executor, { goneId, keptId }: Merge): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select gone.id from saved_searches gone join saved_searches kept using (kind, query)
		where gone.user_id = ${goneId} and kept.user_id = ${keptId} order by gone.id`.execute(trx)
	return rows.map(({ id }) => id)
}

/** Marks a search as removed, so that this can be undone. @returns whether the member had it */
export async function markSearchRemoved(trx: Executor, userId: number, id: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update saved_searches set removed_at = now() where id = ${id} and user_id = ${userId} and removed_at is null`.execute(
		trx,
	)
	return numAffectedRows === 1n
}

/** Restores a recently removed search. @returns whether the member has it now */
export async function restoreSearchRow(trx: Executor, userId: number, id: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update saved_searches set removed_at = null
		where id = ${id} and user_id = ${userId} and (removed_at is null or removed_at >= ${undoBegin})`.execute(trx)
	return numAffectedRows === 1n
}

/** Deletes searches whose removal can no longer be undone. @returns their number */
export async function deleteRemovedSearches(limit: number): Promise<number> {
	const { numAffectedRows } = await sql`
		delete from saved_searches where id in (
			select id from saved_searches where removed_at < ${undoBegin} order by removed_at limit ${limit})`.execute(db())
	return Number(numAffectedRows ?? 0n)
}

const undoBegin = sql`now() - make_interval(secs => ${sql.lit(SEARCH_UNDO_SECONDS)})`

/** A search that is being checked, with its member and the last check. Times are text with microseconds. */
export interface CheckedSearch extends SavedSearchRow {
	seen: number[]
	member: SignedIn
	after: string
	until: string
}

/** A question may be committed after younger ones, so a check covers the time until one minute ago, and the next one starts there. */
const until = "now() - interval '1 minute'"

const checkedColumns = sql`s.id, s.kind, s.query, s.name, s.hits, s.seen, ${isoTime('s.checked_at')} as after,
	${isoTime(`greatest(s.checked_at, ${until})`)} as until,
	jsonb_build_object('id', m.id, 'username', m.username, 'name', m.name, 'image', m.image, 'role', m.role) as member`

/** Searches that were not checked for a day, longest waiting first, without those of suspended members. */
export async function listDueSearches(limit: number): Promise<CheckedSearch[]> {
	const { rows } = await sql<CheckedSearch>`
		select ${checkedColumns} from saved_searches s join users m on m.id = s.user_id
		where s.removed_at is null and s.checked_at < now() - interval '1 day' and coalesce(m.suspended_until <= now(), true)
		order by s.checked_at limit ${limit}`.execute(db())
	return rows
}

/** A saved search of this member, to be checked now. */
export async function findSavedSearch(userId: number, id: number): Promise<CheckedSearch | undefined> {
	const { rows } = await sql<CheckedSearch>`
		select ${checkedColumns} from saved_searches s join users m on m.id = s.user_id
		where s.id = ${id} and s.user_id = ${userId} and s.removed_at is null`.execute(db())
	return rows[0]
}

/**
 * Records a check.
 * @param isOpened whether the member sees the results now, so that none of them is new
 * @returns false if another check was recorded meanwhile; nothing is stored then
 */
export async function writeCheck(
	trx: Executor,
	{ id, after, until }: CheckedSearch,
	{ count, seen }: { count: number; seen: number[] },
	isOpened = false,
): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update saved_searches set seen = ${seen}::int[], checked_at = ${until}::timestamptz,
			hits = ${isOpened ? sql`0` : sql`least(hits + ${count}::int, ${MAX_NEW_RESULTS}::int)`}
			${count > 0 && !isOpened ? sql`, found_at = now()` : sql``}
		where id = ${id} and checked_at = ${after}::timestamptz and removed_at is null`.execute(trx)
	return numAffectedRows === 1n
}

/** The ids of saved searches for the questions of a member. @param usernames all of theirs */
export async function listSearchesFor(usernames: readonly string[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from saved_searches where ${namesOneOf(sql`query`, usernames)}`.execute(db())
	return rows.map(({ id }) => id)
}

/** Deletes a saved search for good. @returns whether there was one */
export async function deleteSearch(trx: Executor, id: number): Promise<boolean> {
	const { numAffectedRows } = await sql`delete from saved_searches where id = ${id}`.execute(trx)
	return numAffectedRows === 1n
}
