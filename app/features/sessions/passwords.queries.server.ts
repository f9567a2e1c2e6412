import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** The hash of a member's password; null when they have none. */
export async function findPasswordHash(userId: number, executor: Executor = db()): Promise<string | null> {
	const credential = await executor
		.selectFrom('credentials')
		.select('password')
		.where('user_id', '=', userId)
		.where('provider_id', '=', 'credential')
		.executeTakeFirst()
	return credential?.password ?? null
}

/** The hash of a member's password, after waiting for a change that is not committed yet; null for none. */
export async function lockPasswordHash(userId: number): Promise<string | null> {
	const { rows } = await sql<{ password: string | null }>`
		select password from credentials where user_id = ${userId} and provider_id = 'credential' for share`.execute(db())
	return rows[0]?.password ?? null
}

/** Replaces the hash of a member's password. @returns whether it was still `before` */
export async function replaceHash(trx: Executor, userId: number, before: string, hash: string): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update credentials set password = ${hash}, updated_at = now()
		where user_id = ${userId} and provider_id = 'credential' and password = ${before}`.execute(trx)
	return numAffectedRows === 1n
}

/**
 * Uses up a link to reset a password. If it came by mail to the main address only, that is confirmed.
 * @param link the hash of its token
 * @returns the member, and whether this confirmed the address; undefined for an invalid link
 */
export async function consumeResetLink(
	trx: Executor,
	link: string,
): Promise<{ userId: number; isNowConfirmed: boolean } | undefined> {
	const { rows } = await sql<{ userId: number; isNowConfirmed: boolean }>`
		with link as (
				delete from verifications where identifier = ${link} and expires_at > now() returning value, confirms_address),
			member as (select id, email_verified, confirms_address from users, link
				where users.id::text = link.value for no key update of users)
		update users set email_verified = member.email_verified or confirms_address from member where users.id = member.id
		returning users.id as "userId", confirms_address and not member.email_verified as "isNowConfirmed"`.execute(trx)
	return rows[0]
}

/** Stores the hash of a new password, whether or not the member has one. */
export async function storeHash(trx: Executor, userId: number, hash: string): Promise<void> {
	await sql`
		with changed as (
			update credentials set password = ${hash}, updated_at = now()
			where user_id = ${userId} and provider_id = 'credential' returning user_id)
		insert into credentials (user_id, account_id, provider_id, password)
		select ${userId}, ${String(userId)}, 'credential', ${hash} where not exists (select from changed)`.execute(trx)
}

/** Invalidates all password reset links of a member. */
export async function deleteResetLinks(userId: number, executor: Executor): Promise<void> {
	await sql`delete from verifications where value = ${String(userId)}`.execute(executor)
}
