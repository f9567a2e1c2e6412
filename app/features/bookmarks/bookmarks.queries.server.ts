import { type Generated, type GeneratedAlways, type RawBuilder, sql } from 'kysely'
import type { QuestionAddress } from '~/features/search/search.view.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import type { TimeCursor } from '~/platform/http/cursors.ts'
import type { Merge } from '~/platform/member-data.ts'
import { BOOKMARK_UNDO_SECONDS, MAX_BOOKMARK_NOTE } from './bookmarks.limits.ts'
import type { BookmarkKind, BookmarkTarget } from './bookmarks.schema.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		bookmarks: {
			id: GeneratedAlways<number>
			user_id: number
			question_id: number
			comment_id: number | null
			note: Generated<string>
			created_at: Generated<Date>
			removed_at: Date | null
		}
	}
}

export interface BookmarkRef {
	question_id: number
	/** null for the question itself. */
	comment_id: number | null
}

export interface BookmarkRow extends BookmarkRef {
	id: number
	note: string
	/** ISO 8601 with microseconds, so that a cursor is exact. */
	created_at: string
	/** null if the post is no longer public. */
	post: {
		asker: string
		category: string
		title: string
		excerpt: string
		username: string
		name: string
		solved: boolean
	} | null
}

/** A member's bookmarks on the page of a question, for use in another statement: rows of `comment_id`, null for the question itself. */
export function bookmarksOn(userId: number, questionId: number): RawBuilder<{ comment_id: number | null }> {
	return sql`(select comment_id from bookmarks where user_id = ${userId} and question_id = ${questionId} and removed_at is null)`
}

/** The question and comment of a public post, with what the address is built from; undefined if there is none. */
export async function findBookmarkRef(
	{ kind, id }: BookmarkTarget,
	executor: Executor = db(),
): Promise<(BookmarkRef & Omit<QuestionAddress, 'id'>) | undefined> {
	const post =
		kind === 'query'
			? sql`(select id as question_id, null::int as comment_id from questions where id = ${id})`
			: sql`(select question_id, id as comment_id from comments where id = ${id} and status = 'published')`
	const { rows } = await sql<BookmarkRef & Omit<QuestionAddress, 'id'>>`
		select p.question_id, p.comment_id, q.title, u.username, c.slug as category_slug
		from ${post} p join questions q on q.id = p.question_id join users u on u.id = q.author_id
			join categories c on c.id = q.category_id
		where q.status = 'published'`.execute(executor)
	return rows[0]
}

/**
 * Waits for concurrent writers below a question, and locks it as the foreign key of a bookmark will. Writers lock the question before the
 * row of its author, so anything that needs both must do the same.
 */
export async function lockQuestionShared(trx: Executor, questionId: number): Promise<void> {
	await sql`select from questions where id = ${questionId} for key share`.execute(trx)
}

/** Counts a member's bookmarks except one. The member's row must be locked, so that concurrent requests cannot exceed the limit. */
export async function countBookmarks(trx: Executor, userId: number, except: BookmarkTarget): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from bookmarks
		where user_id = ${userId} and removed_at is null and not (${isOf(except)})`.execute(trx)
	return rows[0]?.count ?? 0
}

/**
 * Bookmarks a post. A recently removed bookmark is restored as it was; an older one is created again.
 * @param note undefined to leave it unchanged
 */
export async function writeBookmark(
	trx: Executor,
	userId: number,
	{ question_id, comment_id }: BookmarkRef,
	note: string | undefined,
): Promise<void> {
	const isOver = sql`coalesce(mine.removed_at < ${undoBegin}, false)`
	await sql`
		insert into bookmarks as mine (user_id, question_id, comment_id, note)
		values (${userId}, ${question_id}, ${comment_id}, ${note ?? ''})
		on conflict (user_id, question_id, comment_id) do update set
			created_at = case when ${isOver} then now() else mine.created_at end,
			note = ${note === undefined ? sql`case when ${isOver} then '' else mine.note end` : sql`excluded.note`},
			removed_at = null`.execute(trx)
}

/** Writes the note of a bookmark, even if its post is gone. @returns whether the member has the bookmark */
export async function writeBookmarkNote(userId: number, target: BookmarkTarget, note: string): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update bookmarks set note = ${note} where user_id = ${userId} and removed_at is null and ${isOf(target)}`.execute(
		db(),
	)
	return numAffectedRows === 1n
}

/** Marks a bookmark as removed, so that this can be undone. */
export async function markBookmarkRemoved(userId: number, target: BookmarkTarget): Promise<void> {
	await sql`
		update bookmarks set removed_at = now()
		where user_id = ${userId} and removed_at is null and ${isOf(target)}`.execute(db())
}

/** Restores a recently removed bookmark. @returns whether the member has it now */
export async function restoreBookmarkRow(trx: Executor, userId: number, target: BookmarkTarget): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update bookmarks set removed_at = null
		where user_id = ${userId} and (removed_at is null or removed_at >= ${undoBegin}) and ${isOf(target)}`.execute(trx)
	return numAffectedRows === 1n
}

interface ListInput {
	/** All of them must occur in the title or the note. */
	words: string[]
	kind: BookmarkKind | null
	cursor: TimeCursor | null
	limit: number
}

/**
 * A member's bookmarks, newest first. A search scans all of them, at most a few thousand. Titles of posts that are gone are not searched.
 */
export async function listBookmarkRows(
	userId: number,
	{ words, kind, cursor, limit }: ListInput,
): Promise<BookmarkRow[]> {
	const isThere = sql`(q.status in ('published', 'merged') and (b.comment_id is null or m.status = 'published'))`
	const text = sql`lower(b.note || ' ' || case when ${isThere} then q.title else '' end)`
	const { rows } = await sql<BookmarkRow>`
		select b.id, b.question_id, b.comment_id, b.note,
			${isoTime('b.created_at')} as created_at,
			case when ${isThere} then jsonb_build_object(
				'asker', a.username, 'category', c.slug, 'title', q.title,
				'excerpt', case when b.comment_id is null then q.excerpt else left(text_of_html(left(m.body_html, 1000)), 300) end,
				'username', w.username, 'name', w.name,
				'solved', case when b.comment_id is null then q.solved else m.is_solution end) end as post
		from bookmarks b
			join questions q on q.id = b.question_id
			join users a on a.id = q.author_id
			join categories c on c.id = q.category_id
			left join comments m on m.id = b.comment_id
			join users w on w.id = coalesce(m.author_id, q.author_id)
		where b.user_id = ${userId} and b.removed_at is null
			${kind === null ? sql`` : kind === 'query' ? sql`and b.comment_id is null` : sql`and b.comment_id is not null`}
			${words.length === 0 ? sql`` : sql`and not exists (select from unnest(${words}::text[]) word where strpos(${text}, lower(word)) = 0)`}
			${cursor ? sql`and (b.created_at, b.id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``}
		order by b.created_at desc, b.id desc limit ${limit}`.execute(db())
	return rows
}

/** Deletes bookmarks whose removal can no longer be undone. @returns their number */
export async function deleteRemovedBookmarks(limit: number): Promise<number> {
	const { numAffectedRows } = await sql`
		delete from bookmarks where id in (
			select id from bookmarks where removed_at < ${undoBegin} order by removed_at limit ${limit})`.execute(db())
	return Number(numAffectedRows ?? 0n)
}

/**
 * Where both of two merged accounts have bookmarked a post, the bookmark that is kept gets the note of the other one, too, as far as there
 * is room. One that the kept account has just removed is back.
 */
export async function joinBookmarkNotes(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const joined = sql`left(concat_ws(e'\n', nullif(kept.note, ''), gone.note), ${MAX_BOOKMARK_NOTE})`
	await sql`
		update bookmarks kept set removed_at = null, note = case
			when kept.removed_at is not null then gone.note
			when gone.note in ('', kept.note) then kept.note
			else ${joined} end
		from bookmarks gone
		where kept.user_id = ${keptId} and gone.user_id = ${goneId} and gone.removed_at is null
			and kept.question_id = gone.question_id and kept.comment_id is not distinct from gone.comment_id`.execute(trx)
}

/** The earliest removal that can still be undone. */
const undoBegin = sql`now() - make_interval(secs => ${sql.lit(BOOKMARK_UNDO_SECONDS)})`

/** The condition that a row of `bookmarks` is about this post. */
function isOf({ kind, id }: BookmarkTarget): RawBuilder<boolean> {
	return kind === 'query'
		? sql`(question_id = ${id} and comment_id is null)`
		: sql`(comment_id is not distinct from ${id})`
}
