import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/**
 * An SQL condition: whether one member blocks another.
 * @param blocker a column or a value: the id of the blocking member
 * @param blocked the same for the blocked one; null for a visitor, whom nobody blocks
 */
export function isBlocking(
	blocker: RawBuilder<unknown> | number,
	blocked: RawBuilder<unknown> | number | null,
): RawBuilder<boolean> {
	if (blocked === null) return sql<boolean>`false`
	return sql<boolean>`exists (select from blocks where blocker_id = ${blocker} and blocked_id = ${blocked})`
}

/** Adds or removes a block. @returns false if the account to block no longer exists: it was merged or deleted meanwhile */
export async function writeBlock(
	trx: Executor,
	blockerId: number,
	blockedId: number,
	blocked: boolean,
): Promise<boolean> {
	if (!blocked) {
		await sql`delete from blocks where blocker_id = ${blockerId} and blocked_id = ${blockedId}`.execute(trx)
		return true
	}
	const { rows } = await sql`
		with peer as (select id from users where id = ${blockedId} for key share),
			added as (insert into blocks (blocker_id, blocked_id) select ${blockerId}::int, id from peer on conflict do nothing)
		select from peer`.execute(trx)
	return rows.length > 0
}

/** Counts the members whom a member blocks, except one. */
export async function countBlocks(trx: Executor, blockerId: number, except: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from blocks where blocker_id = ${blockerId} and blocked_id <> ${except}`.execute(trx)
	return rows[0]?.count ?? 0
}

/** Whether any of these members blocks this one. */
export async function isBlockedByAny(executor: Executor, blockerIds: number[], blockedId: number): Promise<boolean> {
	const { rows } = await sql`
		select from blocks where blocker_id = any(${blockerIds}::int[]) and blocked_id = ${blockedId} limit 1`.execute(
		executor,
	)
	return rows.length > 0
}

/** The usernames of those of these members who do not block this one. */
export async function listNotBlocking(userId: number, usernames: string[]): Promise<string[]> {
	if (usernames.length === 0) return []
	const { rows } = await sql<{ username: string }>`
		select username from users
		where username = any(${usernames}) and ${isBlocking(sql.ref('users.id'), userId)}`.execute(db())
	const blocking = new Set(rows.map(({ username }) => username))
	return usernames.filter((username) => !blocking.has(username))
}

export interface BlockedRow {
	username: string
	name: string
	image: string | null
	blocked_at: Date
}

/** The members whom a member blocks, latest first. */
export async function listBlockedRows(blockerId: number): Promise<BlockedRow[]> {
	const { rows } = await sql<BlockedRow>`
		select users.username, users.name, users.image, blocked_at from blocks join users on users.id = blocked_id
		where blocker_id = ${blockerId} order by blocked_at desc, users.id desc`.execute(db())
	return rows
}

/** The usernames that a member blocks, for their archive. */
export function archivedBlocks(memberId: number): RawBuilder<unknown> {
	return sql`select u.username, b.blocked_at from blocks b join users u on u.id = b.blocked_id where b.blocker_id = ${memberId}`
}

/** Removes blocks between two merged accounts. */
export async function mergeBlocks(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	await sql`
		delete from blocks where blocker_id in (${goneId}, ${keptId}) and blocked_id in (${goneId}, ${keptId})`.execute(trx)
}
