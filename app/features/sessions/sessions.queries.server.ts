import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

/** Ends all sessions of a member except one. @param exceptId the id of the one to keep; null for none */
export async function deleteSessions(
	userId: number,
	exceptId: number | null,
	executor: Executor = db(),
): Promise<void> {
	await sql`delete from sessions where user_id = ${userId} and id is distinct from ${exceptId}::integer`.execute(
		executor,
	)
}

/**
 * Gives a member's session a new token, and ends their others. The row stays, as what belongs to this browser refers to it.
 * @returns whether the session still existed
 */
export async function renewOnlySession(trx: Executor, userId: number, id: number, token: string): Promise<boolean> {
	await deleteSessions(userId, id, trx)
	const renewed = await sql`update sessions set token = ${token} where id = ${id} and user_id = ${userId}`.execute(trx)
	return renewed.numAffectedRows === 1n
}

/** Ends a session of this member by its id. @returns whether there was one */
export async function deleteSession(userId: number, id: number): Promise<boolean> {
	const gone = await db()
		.deleteFrom('sessions')
		.where('id', '=', id)
		.where('user_id', '=', userId)
		.returning('id')
		.executeTakeFirst()
	return gone !== undefined
}

/** Keeps a session until the transaction ends. @returns whether there is one */
export async function lockSession(trx: Executor, id: number): Promise<boolean> {
	const { rows } = await sql`select from sessions where id = ${id} for key share`.execute(trx)
	return rows.length > 0
}

/** Whether the member of a session confirmed their identity within the last `seconds`, by the database's clock. */
export async function isSessionConfirmed(id: number, seconds: number): Promise<boolean> {
	const { rows } = await sql`
		select from sessions where id = ${id} and confirmed_at > now() - make_interval(secs => ${seconds})`.execute(db())
	return rows.length > 0
}

/** Records that the member of a session has just confirmed their identity. */
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

/** The valid sessions of a member, newest first, at most 100. */
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

/** Deletes all access tokens of a member. Call it once their sessions have ended, which may just be adding one. */
export async function deleteTokens(userId: number, executor: Executor): Promise<void> {
	await executor.deleteFrom('access_tokens').where('user_id', '=', userId).execute()
}

/** Deletes logins of a member that wait for their second step. Call it before their sessions end, as a login may begin one meanwhile. */
export async function deleteChallenges(userId: number, executor: Executor): Promise<void> {
	await sql`delete from login_challenges where user_id = ${userId}`.execute(executor)
}

/**
 * Takes a waiting login for the session that is about to begin: nobody else finds it. {@link deleteLoginChallenge} completes it.
 * @param taken its new hash
 * @returns data of its login method for the session; undefined when it is no longer pending
 */
export async function takeLoginChallenge(
	trx: Executor,
	hash: string,
	taken: string,
): Promise<{ loginData: string | null } | undefined> {
	const { rows } = await sql<{ loginData: string | null }>`
		update login_challenges set token_hash = ${taken}
		where token_hash = ${hash} and expires_at > now() returning kept as "loginData"`.execute(trx)
	return rows[0]
}

/** Completes a waiting login. @returns whether it was still waiting */
export async function deleteLoginChallenge(hash: string): Promise<boolean> {
	const { rows } = await sql`delete from login_challenges where token_hash = ${hash} returning user_id`.execute(db())
	return rows.length > 0
}

/** Makes a member's access tokens and private feeds rest until a session begins, which a trigger notices. */
export async function markAbsent(userId: number, executor: Executor): Promise<void> {
	await sql`update users set absent_since = coalesce(absent_since, now()) where id = ${userId}`.execute(executor)
}

/** Ends the session with this token. @returns its member; null if there was none */
export async function deleteSessionByToken(token: string): Promise<{ userId: number } | null> {
	const gone = await db()
		.deleteFrom('sessions')
		.where('token', '=', token)
		.returning('user_id as userId')
		.executeTakeFirst()
	return gone ?? null
}

/** Ends a member's least recently used sessions beyond `limit`. @returns how many ended */
export async function deleteSurplusSessions(userId: number, limit: number): Promise<number> {
	const { numAffectedRows = 0n } = await sql`
		delete from sessions where user_id = ${userId} and id in (
			select id from sessions where user_id = ${userId} order by updated_at desc, id desc offset ${limit}
		)`.execute(db())
	return Number(numAffectedRows)
}

/**
 * Members whose sessions or accounts changed recently. @param seconds the maximum age of a change, by the database's
 * clock
 * @returns a version by member, made of all changes within this time: the highest number alone would miss a transaction
 * that took its number earlier and commits later
 */
export async function readRevocations(seconds: number): Promise<Map<number, string>> {
	const { rows } = await sql<{ user_id: number; version: string }>`
		select user_id, left(encode(sha256(string_agg(id::text, ',' order by id)::bytea), 'hex'), 16) as version
		from session_revocations where at > now() - make_interval(secs => ${seconds}) group by user_id`.execute(db())
	return new Map(rows.map((row) => [row.user_id, row.version]))
}

/** Deletes expired sessions whose browsers have not come back. */
export async function deleteExpiredSessions(): Promise<void> {
	await sql`delete from sessions where expires_at < now()`.execute(db())
}

/** Deletes changes older than a day: no signed cookie is that old, even if a clock is set back. */
export async function deleteOldRevocations(): Promise<void> {
	await sql`delete from session_revocations where at < now() - interval '1 day'`.execute(db())
}

/** The current username of a member; undefined if the account is gone. */
export async function findUsername(userId: number): Promise<string | undefined> {
	const user = await db().selectFrom('users').select('username').where('id', '=', userId).executeTakeFirst()
	return user?.username
}

/** Devices that are remembered per account: the most recently used ones. */
const MAX_DEVICES = 10

/** Of these token hashes, the one that is known for the account with this address, the first or the second one. */
export async function findDevice(email: string, hashes: string[]): Promise<string | null> {
	const { rows } = await sql<{ token_hash: string }>`
		select token_hash from known_devices join account_emails using (user_id)
		where account_emails.email = ${email} and token_hash = any(${hashes})
			and known_devices.used_at > now() - interval '1 year' limit 1`.execute(db())
	return rows[0]?.token_hash ?? null
}

/** Records the use of a device. */
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

/** Deletes all devices of an account, for example after a password change. */
export async function deleteDevices(userId: number, executor: Executor): Promise<void> {
	await sql`delete from known_devices where user_id = ${userId}`.execute(executor)
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
 * The valid sessions with these tokens. The array is in a subselect as in `idArray`, so that PostgreSQL does not plan this
 * statement for each request.
 * @param life a session with fewer seconds left is due for renewal, unless it is 90 days after it began that it expires
 */
export async function listSessionsByToken(tokens: string[], life: number): Promise<MemberSessionRow[]> {
	const { rows } = await sql<MemberSessionRow>`
		select sessions.token, sessions.id as "sessionId",
			sessions.expires_at < least(now() + make_interval(secs => ${life}), sessions.created_at + interval '90 days') as "isDue",
			users.id, users.name, users.image, users.username, users.role, users.second_factor as "secondFactor"
		from sessions join users on users.id = sessions.user_id
		where sessions.token = any((select ${tokens}::text[])::text[]) and sessions.expires_at > now()`.execute(db())
	return rows
}
