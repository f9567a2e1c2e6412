import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Ends every session of a member but one. @param exceptId the id of the one that stays; null for none */
export async function deleteSessions(
	userId: number,
	exceptId: number | null,
	executor: Executor = db(),
): Promise<void> {
	await sql`delete from sessions where user_id = ${userId} and id is distinct from ${exceptId}::integer`.execute(
		executor,
	)
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

/** Whether the member of a session proved within the last `seconds` who they are, by the database's clock. */
export async function isSessionConfirmed(id: number, seconds: number): Promise<boolean> {
	const { rows } = await sql`
		select from sessions where id = ${id} and confirmed_at > now() - make_interval(secs => ${seconds})`.execute(db())
	return rows.length > 0
}

/** Notes that the member of a session has just proved who they are. */
export async function writeConfirmation(userId: number, id: number): Promise<void> {
	await sql`update sessions set confirmed_at = now() where id = ${id} and user_id = ${userId}`.execute(db())
}

interface SessionRow {
	id: number
	ip_address: string | null
	user_agent: string | null
	created_at: Date
	updated_at: Date
}

/** The sessions of a member that are still good, newest first, at most 100. */
export function listSessionRows(userId: number): Promise<SessionRow[]> {
	return db()
		.selectFrom('sessions')
		.select(['id', 'ip_address', 'user_agent', 'created_at', 'updated_at'])
		.where('user_id', '=', userId)
		.where('expires_at', '>', new Date())
		.orderBy('updated_at', 'desc')
		.limit(100)
		.execute()
}

/** Deletes all access tokens of a member: they end with the sessions. */
export async function deleteTokens(userId: number, executor: Executor = db()): Promise<void> {
	await executor.deleteFrom('access_tokens').where('user_id', '=', userId).execute()
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

/** Ends those sessions of a member that were used least recently, when there are more than `limit`. @returns how many ended */
export async function deleteSurplusSessions(userId: number, limit: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from sessions where user_id = ${userId} and id in (
			select id from sessions where user_id = ${userId} order by updated_at desc, id desc offset ${limit}
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

/** The current username of a member; undefined when the account is gone. */
export async function findUsername(userId: number): Promise<string | undefined> {
	const user = await db().selectFrom('users').select('username').where('id', '=', userId).executeTakeFirst()
	return user?.username
}

/** Devices that are remembered for one account: the most recently used ones. */
const MAX_DEVICES = 10

/** Which of these tokens, by their hashes, is known for the account with this address, whichever of its two. */
export async function findDevice(email: string, hashes: string[]): Promise<string | null> {
	const { rows } = await sql<{ token_hash: string }>`
		select token_hash from known_devices join account_emails using (user_id)
		where account_emails.email = ${email} and token_hash = any(${hashes})
			and known_devices.used_at > now() - interval '1 year' limit 1`.execute(db())
	return rows[0]?.token_hash ?? null
}

/** Notes that a device was used. */
export async function touchDevice(hash: string): Promise<void> {
	await sql`update known_devices set used_at = now() where token_hash = ${hash}`.execute(db())
}

/** Adds a device, and deletes those beyond the limit. @returns whether the account had devices before */
export async function insertDevice(userId: number, hash: string, executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql<{ had: boolean }>`
		insert into known_devices (token_hash, user_id) values (${hash}, ${userId})
		on conflict (token_hash) do nothing
		returning exists (select from known_devices where user_id = ${userId}) as had`.execute(executor)
	await sql`
		delete from known_devices where user_id = ${userId} and token_hash not in (
			select token_hash from known_devices where user_id = ${userId}
			order by used_at desc, token_hash limit ${MAX_DEVICES})`.execute(executor)
	return rows[0]?.had ?? false
}

/** Deletes every device of an account, as after a new password. */
export async function deleteDevices(userId: number): Promise<void> {
	await sql`delete from known_devices where user_id = ${userId}`.execute(db())
}

/** A session with its member. */
interface MemberSessionRow {
	token: string
	sessionId: number
	/** Whether it is due for renewal. */
	isDue: boolean
	id: number
	name: string
	image: string | null
	username: string
	role: string
	secondFactor: boolean
}

/**
 * The valid sessions with these tokens.
 * @param life a session with fewer seconds left is due for renewal
 */
export async function listSessionsByToken(tokens: string[], life: number): Promise<MemberSessionRow[]> {
	const { rows } = await sql<MemberSessionRow>`
		select sessions.token, sessions.id as "sessionId", sessions.expires_at < now() + make_interval(secs => ${life}) as "isDue",
			users.id, users.name, users.image, users.username, users.role, users.second_factor as "secondFactor"
		from sessions join users on users.id = sessions.user_id
		where sessions.token = any(${tokens}) and sessions.expires_at > now()`.execute(db())
	return rows
}
