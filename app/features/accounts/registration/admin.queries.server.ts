import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Links that are valid beside each other: each start of each node prints one. */
const MAX_CLAIMS = 20

/** Makes the member with this address admin, once the address is confirmed. @returns their id, if they became it now */
export async function promoteConfirmed(email: string, executor: Executor = db()): Promise<number | null> {
	const promoted = await executor
		.updateTable('users')
		.set({ role: 'admin' })
		.where('email', '=', email)
		.where('email_verified', '=', true)
		.where('imported', '=', false)
		.where('role', '<>', 'admin')
		.returning('id')
		.executeTakeFirst()
	return promoted?.id ?? null
}

/** Whether this site has an admin who can log in. */
export async function hasAdmin(executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql`select from users where role = 'admin' and not imported limit 1`.execute(executor)
	return rows.length > 0
}

/** Keeps a link that makes its finder admin, by the hash of its token; the oldest beyond the limit work no more. */
export async function insertClaim(hash: string): Promise<void> {
	await sql`insert into admin_claims (token_hash) values (${hash})`.execute(db())
	await sql`
		delete from admin_claims where token_hash not in (
			select token_hash from admin_claims order by created_at desc, token_hash limit ${MAX_CLAIMS})`.execute(db())
}

/** Whether a link makes somebody admin: it was printed, and nobody is admin yet. */
export async function isClaimOpen(hash: string, executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql`select from admin_claims where token_hash = ${hash}`.execute(executor)
	return rows.length > 0 && !(await hasAdmin(executor))
}

/** Has everybody who claims at once, with whichever link, do so one after the other. */
export async function lockClaims(trx: Executor): Promise<void> {
	await sql`lock table admin_claims in exclusive mode`.execute(trx)
}

/** Makes a member admin and ends every link that could make another one. */
export async function takeClaim(trx: Executor, userId: number): Promise<void> {
	await sql`update users set role = 'admin' where id = ${userId}`.execute(trx)
	await sql`delete from admin_claims`.execute(trx)
}

/** Ends every session, token and device of the accounts with these addresses. */
export async function shutOut(emails: string[]): Promise<void> {
	for (const table of ['sessions', 'access_tokens', 'known_devices'])
		await sql`delete from ${sql.table(table)} where user_id in (
			select id from users where email = any(${emails}))`.execute(db())
}
