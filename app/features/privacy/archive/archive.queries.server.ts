import { type RawBuilder, sql } from 'kysely'
import { accountIdsOf } from '~/features/members/pseudonyms.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { MemberTable } from '~/platform/member-data.ts'
import { ARCHIVE_DAYS } from '../privacy.limits.ts'

export interface ArchiveRow {
	name: string
	parts: number
	done: number
	bytes: number | null
	ready_at: Date | null
	/** When it expires; null while it is being made. */
	ends_at: Date | null
	/** It has expired, and its file is removed within the hour. */
	is_over: boolean
	/** Whether it has been in progress for so long that its job must have failed. */
	stuck: boolean
}

const columns = sql`name, parts, done, bytes::float8 as bytes, ready_at, ready_at + make_interval(days => ${ARCHIVE_DAYS}) as ends_at,
	coalesce(ready_at <= now() - make_interval(days => ${ARCHIVE_DAYS}), false) as is_over,
	ready_at is null and asked_at < now() - interval '1 day' as stuck`

/** A member's archive, in progress, finished or just expired, which has a file to remove; undefined for none. */
export async function findArchive(userId: number, executor: Executor = db()): Promise<ArchiveRow | undefined> {
	const { rows } = await sql<ArchiveRow>`
		select ${columns} from archives where user_id = ${userId}`.execute(executor)
	return rows[0]
}

/** Starts a member's archive, and replaces an older one. @param name of its file, which cannot be guessed */
export async function beginArchive(trx: Executor, userId: number, name: string): Promise<void> {
	await sql`
		insert into archives (user_id, name) values (${userId}, ${name})
		on conflict (user_id) do update set name = excluded.name, asked_at = now(), parts = 0, done = 0, bytes = null, ready_at = null`.execute(
		trx,
	)
}

/** Records the progress of an archive. @returns false if it was cancelled */
export async function recordProgress(userId: number, name: string, parts: number, done: number): Promise<boolean> {
	const { rows } = await sql`
		update archives set parts = ${parts}, done = ${done}
		where user_id = ${userId} and name = ${name} and ready_at is null returning 1`.execute(db())
	return rows.length > 0
}

/** Marks an archive as finished. @returns the member to notify; undefined if it was cancelled */
export async function finishArchive(
	trx: Executor,
	{ userId, name, bytes }: { userId: number; name: string; bytes: number },
): Promise<{ email: string; name: string } | undefined> {
	const { rows } = await sql<{ email: string; name: string }>`
		update archives set bytes = ${bytes}, done = parts, ready_at = now() from users u
		where user_id = ${userId} and archives.name = ${name} and ready_at is null and u.id = user_id
		returning u.email, u.name`.execute(trx)
	return rows[0]
}

/** Expired archives, and abandoned ones. */
export async function listExpiredArchives(): Promise<{ user_id: number; name: string }[]> {
	const { rows } = await sql<{ user_id: number; name: string }>`
		select user_id, name from archives
		where coalesce(ready_at + make_interval(days => ${ARCHIVE_DAYS}), asked_at + interval '2 days') <= now()`.execute(
		db(),
	)
	return rows
}

/** Deletes the row of a member's archive. @param name of this archive, in case a newer one was started */
export async function deleteArchive(userId: number, name: string): Promise<void> {
	await sql`delete from archives where user_id = ${userId} and name = ${name}`.execute(db())
}

/** Rows per fetch of the cursor. */
const ROWS_AT_ONCE = 200

/** Yields a member's rows of a table, as its feature exports them. The caller has to read all of them, or to close it. */
export async function* readRows(
	table: string,
	entry: MemberTable,
	memberId: number,
): AsyncGenerator<Record<string, unknown>, void> {
	const statement = entry.rows?.(memberId) ?? ownRows(table, entry, memberId)
	// A cursor reads the table in one snapshot and bounds the memory.
	const trx = await db().startTransaction().execute()
	let isRead = false
	try {
		await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
		await sql`declare archived no scroll cursor for ${statement}`.execute(trx)
		while (!isRead) {
			const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(ROWS_AT_ONCE)} from archived`.execute(trx)
			yield* rows
			isRead = rows.length < ROWS_AT_ONCE
		}
	} finally {
		await (isRead ? trx.commit() : trx.rollback()).execute()
	}
}

function ownRows(table: string, { members, archive }: MemberTable, memberId: number): RawBuilder<unknown> {
	const [owner] = Object.keys(members)
	if (owner === undefined || typeof archive === 'string') throw new Error(`${table} has no rows for an archive.`)
	// Pseudonyms have no account data that the member does not know.
	const accounts = table === 'users' ? sql`array[${memberId}::int]` : accountIdsOf(memberId)
	return sql`select ${sql.join(archive.map((column) => sql.ref(column)))} from ${sql.table(table)}
		where ${sql.ref(owner)} = any(${accounts})`
}

/** The pictures of a member, in pages. @param after the last path of the previous page */
export async function listPicturesOf(memberId: number, after: string, limit: number): Promise<string[]> {
	const { rows } = await sql<{ path: string }>`
		select path from pictures where user_id = ${memberId} and path > ${after} order by path limit ${limit}`.execute(
		db(),
	)
	return rows.map(({ path }) => path)
}

/** How many pictures a member has uploaded and still has. */
export async function countPicturesOf(memberId: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from pictures where user_id = ${memberId}`.execute(db())
	return rows[0]?.count ?? 0
}
