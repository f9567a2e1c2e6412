import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { db } from '~/db/db.server.ts'

/** Takes a username if nobody has it. @returns whether it is ours now */
export async function claimUsername(username: string): Promise<boolean> {
	const claimed = await db()
		.insertInto('usernames')
		.values({ username })
		.onConflict((conflict) => conflict.doNothing())
		.returning('username')
		.executeTakeFirst()
	return claimed !== undefined
}

/** The e-mail address of the account with this username, or null; imported accounts have none that could log in. */
export async function findEmail(username: string): Promise<string | null> {
	const user = await db()
		.selectFrom('users')
		.select('email')
		.where('username', '=', username)
		.where('imported', '=', false)
		.executeTakeFirst()
	return user?.email ?? null
}

/**
 * Completes a new account: its empty profile, the member count, and its role.
 * @param isAdmin decides, knowing whether this is the first member of the site; the milestone's key says so to one of two
 * that register at once
 */
export async function welcomeMember(userId: number, isAdmin: (isFirst: boolean) => boolean): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await trx
				.insertInto('profiles')
				.values({ user_id: userId })
				.onConflict((conflict) => conflict.doNothing())
				.execute()
			await sql`update counters set value = value + 1 where name = 'members'`.execute(trx)
			const first = await trx
				.insertInto('milestones')
				.values({ name: 'first-member' })
				.onConflict((conflict) => conflict.doNothing())
				.returning('name')
				.executeTakeFirst()
			if (isAdmin(first !== undefined))
				await trx.updateTable('users').set({ role: 'admin' }).where('id', '=', userId).execute()
		})
}

/** The member with this address, or null; an account that stands for an imported author is nobody's. */
export async function findMember(email: string): Promise<{ id: number } | null> {
	const user = await db()
		.selectFrom('users')
		.select('id')
		.where('email', '=', email)
		.where('imported', '=', false)
		.executeTakeFirst()
	return user ?? null
}

/** Makes the member with this address admin. */
export async function makeAdmin(email: string): Promise<void> {
	await db()
		.updateTable('users')
		.set({ role: 'admin' })
		.where('email', '=', email)
		.where('imported', '=', false)
		.where('role', '<>', 'admin')
		.execute()
}

/** Writes a row that means nothing and is swept away: the work of a reset link for an address that nobody has. */
export async function leaveExpiredVerification(): Promise<void> {
	await sql`insert into verifications (identifier, value, expires_at) values ('nobody', '', now())`.execute(db())
}

/**
 * Has a reset link work for so many seconds from now.
 * @returns false when it was used or taken back, or is older than the day that a mail may wait
 */
export async function beginResetLink(token: string, seconds: number): Promise<boolean> {
	// As Better Auth keeps it with `storeIdentifier: 'hashed'`.
	const identifier = createHash('sha256').update(`reset-password:${token}`).digest('base64url')
	const { numAffectedRows } = await sql`
		update verifications set expires_at = now() + make_interval(secs => ${seconds})
		where identifier = ${identifier} and created_at > now() - interval '1 day' and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/** Takes back every link to set a new password that this member was mailed. */
export async function forgetResetLinks(userId: number): Promise<void> {
	await sql`delete from verifications where value = ${String(userId)}`.execute(db())
}

/** Sweeps away counters of attempts, and links, whose time is over. */
export async function forgetOldAttempts(): Promise<void> {
	await sql`delete from rate_limits where expire < ${Date.now()}`.execute(db())
	await sql`delete from verifications where expires_at < now()`.execute(db())
}

/** What a member's settings say of the account. */
export function findAccount(
	userId: number,
): Promise<{ email: string; email_verified: boolean; created_at: Date } | undefined> {
	return db()
		.selectFrom('users')
		.select(['email', 'email_verified', 'created_at'])
		.where('id', '=', userId)
		.executeTakeFirst()
}

/** Ends a session of this member by its row. @returns whether there was one */
export async function deleteSession(userId: number, id: number): Promise<boolean> {
	const gone = await db()
		.deleteFrom('sessions')
		.where('id', '=', id)
		.where('user_id', '=', userId)
		.returning('id')
		.executeTakeFirst()
	return gone !== undefined
}

export interface SessionRow {
	id: number
	token: string
	ip_address: string | null
	user_agent: string | null
	created_at: Date
	updated_at: Date
}

/** The sessions of a member that are still good, newest first, at most 100. */
export function listSessionRows(userId: number): Promise<SessionRow[]> {
	return db()
		.selectFrom('sessions')
		.select(['id', 'token', 'ip_address', 'user_agent', 'created_at', 'updated_at'])
		.where('user_id', '=', userId)
		.where('expires_at', '>', new Date())
		.orderBy('updated_at', 'desc')
		.limit(100)
		.execute()
}
