import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Ends every session of a member but one. @param keep the id of the one that stays; null for none */
export async function deleteSessions(userId: number, keep: number | null, executor: Executor = db()): Promise<void> {
	await sql`delete from sessions where user_id = ${userId} and id is distinct from ${keep}::integer`.execute(executor)
}

/** Ends the session with this token. @returns whose it was; null when there was none */
export async function deleteSessionByToken(token: string): Promise<{ userId: number } | null> {
	const gone = await db()
		.deleteFrom('sessions')
		.where('token', '=', token)
		.returning('user_id as userId')
		.executeTakeFirst()
	return gone ?? null
}

/** Ends those sessions of a member that were used least recently, when there are more than `most`. @returns how many ended */
export async function deleteSurplusSessions(userId: number, most: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from sessions where user_id = ${userId} and id in (
			select id from sessions where user_id = ${userId} order by updated_at desc, id desc offset ${most}
		)`.execute(db())
	return Number(numAffectedRows)
}

/**
 * Whose sessions or accounts changed lately. @param seconds how long ago at most, by the database's clock
 * @returns by member what stands for all changes of this time. It is made of each of them: a transaction that took its number
 * earlier may commit later, so the highest number alone would not tell.
 */
export async function readRevocations(seconds: number): Promise<Map<number, string>> {
	const { rows } = await sql<{ user_id: number; version: string }>`
		select user_id, left(encode(sha256(string_agg(id::text, ',' order by id)::bytea), 'hex'), 16) as version
		from session_revocations where at > now() - make_interval(secs => ${seconds}) group by user_id`.execute(db())
	return new Map(rows.map((row) => [row.user_id, row.version]))
}

/** Forgets sessions that expired, of which nobody has come back since. */
export async function deleteExpiredSessions(): Promise<void> {
	await sql`delete from sessions where expires_at < now()`.execute(db())
}

/** Forgets changes older than a day: no signed cookie is as old, even when a clock is set back. */
export async function deleteOldRevocations(): Promise<void> {
	await sql`delete from session_revocations where at < now() - interval '1 day'`.execute(db())
}

export async function findUsername(userId: number): Promise<string | undefined> {
	const user = await db().selectFrom('users').select('username').where('id', '=', userId).executeTakeFirst()
	return user?.username
}
