import { sql } from 'kysely'
import { suspendedUntil } from '~/features/accounts/security/suspension.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { SuspensionTime } from './moderation.view.ts'

const lengths: Record<SuspensionTime, ReturnType<typeof sql>> = {
	'1 day': sql`now() + interval '1 day'`,
	'1 week': sql`now() + interval '7 days'`,
	'1 month': sql`now() + interval '1 month'`,
	'for ever': sql`'infinity'`,
}

/** Suspends a member whose row the caller holds. */
export async function suspend(trx: Executor, id: number, time: SuspensionTime, reason: string): Promise<void> {
	await sql`update users set suspended_until = ${lengths[time]}, suspended_reason = ${reason} where id = ${id}`.execute(
		trx,
	)
}

/** Ends a member's suspension. */
export async function lift(trx: Executor, id: number): Promise<void> {
	await sql`update users set suspended_until = null, suspended_reason = '' where id = ${id}`.execute(trx)
}

export async function setRole(trx: Executor, id: number, role: 'member' | 'moderator'): Promise<void> {
	await trx.updateTable('users').set({ role }).where('id', '=', id).execute()
}

export async function findRole(id: number): Promise<SignedIn['role'] | undefined> {
	const user = await db().selectFrom('users').select('role').where('id', '=', id).executeTakeFirst()
	return user?.role
}

export interface MemberRow {
	id: number
	role: SignedIn['role']
	username: string
	name: string
	image: string | null
}

/** A member by name; accounts that stand for imported authors are nobody's. */
export function findMember(username: string): Promise<MemberRow | undefined> {
	return db()
		.selectFrom('users')
		.select(['id', 'role', 'username', 'name', 'image'])
		.where('username', '=', username)
		.where('imported', '=', false)
		.executeTakeFirst()
}

/** Admins and moderators by name, at most 200. */
export function listStaffRows(): Promise<MemberRow[]> {
	return db()
		.selectFrom('users')
		.select(['id', 'role', 'username', 'name', 'image'])
		.where('role', '<>', 'member')
		.orderBy('role')
		.orderBy('username')
		.limit(200)
		.execute()
}

export interface SuspendedRow extends MemberRow {
	suspended_until: string
	suspended_reason: string
}

/** Whose suspension still lasts, the longest first. */
export async function listSuspendedRows(limit: number): Promise<SuspendedRow[]> {
	const { rows } = await sql<SuspendedRow>`
		select id, role, username, name, image, ${suspendedUntil('users')} as suspended_until, suspended_reason
		from users where suspended_until > now() order by suspended_until desc, id desc limit ${limit}`.execute(db())
	return rows
}
