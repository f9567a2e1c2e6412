import { sql } from 'kysely'
import {
	suspendedUntil,
	type WritingStatus,
	writingStatusColumns,
} from '~/features/accounts/accounts.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { statement, type Value } from '~/platform/db/statement.server.ts'
import { isoTime } from '~/platform/db/times.server.ts'
import { byPosition } from '~/platform/db/transaction.server.ts'
import type { SuspensionDuration } from './moderation.policy.ts'

const lengths: Record<SuspensionDuration, ReturnType<typeof sql>> = {
	'1 day': sql`now() + interval '1 day'`,
	'1 week': sql`now() + interval '7 days'`,
	'1 month': sql`now() + interval '1 month'`,
	'for ever': sql`'infinity'`,
}

/**
 * Suspends a member whose row the caller has locked.
 * @returns false, and nothing is changed, where a suspension lasts as long already
 */
export async function suspendMember(
	trx: Executor,
	id: number,
	time: SuspensionDuration,
	reason: string,
): Promise<boolean> {
	const { rows } = await sql`
		update users set suspended_until = ${lengths[time]}, suspended_reason = ${reason}
		where id = ${id} and (suspended_until is null or suspended_until < ${lengths[time]}) returning 1`.execute(trx)
	return rows.length > 0
}

/** Ends a member's suspension. */
export async function liftSuspension(trx: Executor, id: number): Promise<void> {
	await sql`update users set suspended_until = null, suspended_reason = '' where id = ${id}`.execute(trx)
}

/** Sets the role of a member whose row the caller has locked. Moderators and admins are not marked as having left the university. */
export async function setRole(trx: Executor, id: number, role: SignedIn['role']): Promise<void> {
	await sql`update users set role = ${role}, left_campus_at = case when ${role} = 'member' then left_campus_at end
		where id = ${id}`.execute(trx)
}

/** The role of a member; undefined when the account is gone. */
export async function findRole(id: number): Promise<SignedIn['role'] | undefined> {
	const user = await db().selectFrom('users').select('role').where('id', '=', id).executeTakeFirst()
	return user?.role
}

export interface ModeratedMemberRow {
	id: number
	role: SignedIn['role']
	username: string
	name: string
	image: string | null
}

/** A member by name; accounts of imported authors are left out. */
export function findModeratedMember(username: string): Promise<ModeratedMemberRow | undefined> {
	return db()
		.selectFrom('users')
		.select(['id', 'role', 'username', 'name', 'image'])
		.where('username', '=', username)
		.where('imported', '=', false)
		.executeTakeFirst()
}

/** Admins and moderators by name, at most 200. @param mayAct whether to leave out those who are suspended or leaving */
export function listStaffRows({ mayAct = false } = {}): Promise<ModeratedMemberRow[]> {
	return db()
		.selectFrom('users')
		.select(['id', 'role', 'username', 'name', 'image'])
		.where('role', '<>', 'member')
		.$if(mayAct, (staff) =>
			staff.where(sql<boolean>`leaves_at is null and (suspended_until is null or suspended_until <= now())`),
		)
		.orderBy('role')
		.orderBy('username')
		.limit(200)
		.execute()
}

export interface SuspendedRow extends ModeratedMemberRow {
	suspended_until: string
	/** As `suspended_until`, with microseconds. */
	sort_key: string
	suspended_reason: string
}

/** Suspended members, the longest suspensions first. @param after the `sort_key` and id of the last row before; null for none */
export async function listSuspendedRows(
	after: { key: string; id: number } | null,
	limit: number,
): Promise<SuspendedRow[]> {
	const { rows } = await sql<SuspendedRow>`
		select id, role, username, name, image, ${suspendedUntil('users')} as suspended_until, suspended_reason,
			case when suspended_until = 'infinity' then 'infinity'
				else ${isoTime('suspended_until')} end as sort_key
		from users where suspended_until > now()
			${after ? sql`and (suspended_until, id) < (${after.key}::timestamptz, ${after.id}::int)` : sql``}
		order by suspended_until desc, id desc limit ${limit}`.execute(db())
	return rows
}

export interface SubjectAuthorRow extends ModeratedMemberRow {
	/** When their suspension ends, in ISO 8601 or `infinity`; null for none. */
	suspended_until: string | null
	/** Whether the account only stands for an imported author. */
	imported: boolean
	/** The member behind it, where the author is a pseudonym; null for others. */
	pseudonym_of: number | null
}

/** The members with these ids, in any order. */
export async function listAuthorRows(ids: number[]): Promise<SubjectAuthorRow[]> {
	if (ids.length === 0) return []
	const { rows } = await sql<SubjectAuthorRow>`
		select id, role, username, name, image, imported, pseudonym_of, ${suspendedUntil('users')} as suspended_until
		from users where id = any(${ids}::int[])`.execute(db())
	return rows
}

/** What decides whether and how much a member may write. */
export interface AccountStatusRow extends WritingStatus {
	role: SignedIn['role']
	/** Age of the account in hours. */
	hours: number
	/** Whether a moderator has approved a post of theirs, so that their links are trusted. */
	approved: boolean
}

const statusColumns = sql`users.role, ${writingStatusColumns},
	(extract(epoch from now() - users.created_at) / 3600)::float8 as hours, approved_at is not null as approved`

/**
 * The status of a member who is about to write. Locks their row: of two concurrent posts the second counts the first, and nobody is
 * suspended before the commit. Call it after all other locks except those on cases.
 */
export async function lockAccountStatus(trx: Executor, userId: number): Promise<AccountStatusRow | undefined> {
	const { rows } = await sql<AccountStatusRow>`
		select ${statusColumns} from users where id = ${userId} for no key update`.execute(trx)
	return rows[0]
}

/** Who writes, and in which session; null for any. */
export interface Writer {
	userId: number
	sessionId: number | null
}

const accountStatuses = (skipLocked: boolean) =>
	statement(
		(userIds: Value<number[]>, sessionIds: Value<(number | null)[]>) => sql<AccountStatusRow & { place: number }>`
		with good as (
			select id, user_id from sessions where id = any(${sessionIds}::int[]) and expires_at > now()
			order by id for key share ${skipLocked ? sql`skip locked` : sql``})
		select writer.place::int, ${statusColumns}
		from unnest(${userIds}::int[], ${sessionIds}::int[]) with ordinality as writer (user_id, session_id, place)
		cross join lateral (select * from users where id = writer.user_id limit 1) users
		left join good on good.id = writer.session_id and good.user_id = users.id
		where writer.session_id is null or good.id is not null`,
	)
const [readStatuses, readUnlockedStatuses] = [accountStatuses(false), accountStatuses(true)]

/**
 * The status of these members, in order, without locking their rows. Undefined for one whose session has ended; an existing session
 * stays until the transaction ends.
 * @param skipLocked undefined also for a session that is just being ended; otherwise this waits for that
 */
export async function listAccountStatuses(
	trx: Executor,
	writers: readonly Writer[],
	{ skipLocked }: { skipLocked: boolean },
): Promise<(AccountStatusRow | undefined)[]> {
	const read = skipLocked ? readUnlockedStatuses : readStatuses
	const userIds = writers.map(({ userId }) => userId)
	const sessionIds = writers.map(({ sessionId }) => sessionId)
	return byPosition(writers, await read(trx, userIds, sessionIds))
}

/** Trusts a member with links after a post of theirs was approved. */
export async function trustAuthor(trx: Executor, userId: number): Promise<void> {
	await sql`update users set approved_at = coalesce(approved_at, now()) where id = ${userId}`.execute(trx)
}

/** Locks members' rows in the order of their ids. @returns their roles; a suspended member counts as having none */
export async function lockRoles(trx: Executor, ids: readonly number[]): Promise<Map<number, SignedIn['role']>> {
	const { rows } = await sql<{ id: number; role: SignedIn['role'] }>`
		select id, case when suspended_until > now() or leaves_at is not null then 'member' else role end as role
		from users where id = any(${[...ids]}::int[]) order by id for no key update`.execute(trx)
	return new Map(rows.map(({ id, role }) => [id, role]))
}
