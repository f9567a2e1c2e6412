import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'

/** The providers of the university itself. */
export const campusProviders = ['campus', 'saml', 'ldap'] as const

export type Affiliation = '' | 'student' | 'staff'

/** An identity at another site, as it is stored. */
export interface Identity {
	provider: string
	issuer: string
	subject: string
	/** The member's name there. */
	name: string
	affiliation: Affiliation
}

/** Serializes logins with the same identity: the second of two first logins finds the account that the first one created. */
export async function lockIdentity(trx: Executor, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
	await sql`select pg_advisory_xact_lock(hashtextextended(${`${issuer} ${subject}`}, 75))`.execute(trx)
}

interface Owner {
	/** Of the identity. */
	id: number
	user_id: number
	email_verified: boolean
	/** Whether they asked for deletion, and may still come back. */
	is_leaving: boolean
}

/** The member with this identity. */
export async function findIdentityOwner(
	executor: Executor,
	{ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<Owner | undefined> {
	const { rows } = await sql<Owner>`
		select i.id, i.user_id, u.email_verified, u.leaves_at is not null as is_leaving from identities i join users u on u.id = i.user_id
		where i.issuer = ${issuer} and i.subject = ${subject}`.execute(executor)
	return rows[0]
}

/** Links an identity. @param isLogin whether the member logs in with it at the same time @returns its id */
export async function insertIdentity(
	trx: Executor,
	userId: number,
	{ provider, issuer, subject, name, affiliation }: Identity,
	isLogin: boolean,
): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		insert into identities (user_id, provider, issuer, subject, name, affiliation, used_at)
		values (${userId}, ${provider}, ${issuer}, ${subject}, ${name}, ${affiliation}, case when ${isLogin} then now() end)
		returning id`.execute(trx)
	const id = Number(rows[0]?.id)
	await recordPresence(trx, id)
	return id
}

/** Records a login with an identity, and the member's present name there. */
export async function touchIdentity(trx: Executor, id: number, { name, affiliation }: Identity): Promise<void> {
	await sql`
		update identities set used_at = now(), name = ${name}, affiliation = ${affiliation}, missing_since = null, spared = false
		where id = ${id}`.execute(trx)
	await recordPresence(trx, id)
}

/** Whoever proves an identity of the university has not left it. */
async function recordPresence(trx: Executor, id: number): Promise<void> {
	await sql`
		update users set left_campus_at = null from identities i
		where i.id = ${id} and users.id = i.user_id and i.provider = any(${[...campusProviders]}) and left_campus_at is not null`.execute(
		trx,
	)
}

/** Whether the university says that a member has left it. */
export async function hasLeft(executor: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`select from users where id = ${userId} and left_campus_at is not null`.execute(executor)
	return rows.length > 0
}

/** Whether an identity is still linked, after waiting for a transaction that is removing it. */
export async function isStillLinked(id: number): Promise<boolean> {
	const { rows } = await sql`select from identities where id = ${id} for key share`.execute(db())
	return rows.length > 0
}

export interface IdentityRow {
	id: number
	provider: string
	issuer: string
	name: string
	affiliation: Affiliation
	created_at: string
	used_at: string | null
}

/** The identities of a member. */
export async function listIdentityRows(userId: number, executor: Executor = db()): Promise<IdentityRow[]> {
	const { rows } = await sql<IdentityRow>`
		select id, provider, issuer, name, affiliation, ${isoSeconds('created_at')} as created_at, ${isoSeconds('used_at')} as used_at
		from identities where user_id = ${userId} order by id`.execute(executor)
	return rows
}

/**
 * Unlinks an identity, and ends the sessions that it started.
 * @param keptSession the present session, which continues
 * @returns the provider; undefined if it is not theirs
 */
export async function deleteIdentity(
	trx: Executor,
	{ userId, id, keptSession }: { userId: number; id: number; keptSession: number },
): Promise<string | undefined> {
	await sql`select from identities where id = ${id} and user_id = ${userId} for update`.execute(trx)
	await sql`
		delete from sessions where id <> ${keptSession} and id in (
			select p.session_id from provider_sessions p join identities i on i.id = p.identity_id
			where i.id = ${id} and i.user_id = ${userId}
		)`.execute(trx)
	const { rows } = await sql<{ provider: string }>`
		delete from identities where id = ${id} and user_id = ${userId} returning provider`.execute(trx)
	return rows[0]?.provider
}

/** Whether an admin who is not suspended, and has not left the campus, has logged in with an identity of this issuer. */
export async function hasAdminWithIssuer(trx: Executor, issuer: string): Promise<boolean> {
	const { rows } = await sql`
		select from identities i join users u on u.id = i.user_id
		where i.issuer = ${issuer} and i.used_at is not null and u.role = 'admin' and u.absent_since is null
			and (u.suspended_until is null or u.suspended_until < now()) limit 1`.execute(trx)
	return rows.length > 0
}

/** The provider by which a session began; undefined for a session that began here. */
export async function findSessionProvider(sessionId: number): Promise<string | undefined> {
	const { rows } = await sql<{ provider: string }>`
		select i.provider from provider_sessions p join identities i on i.id = p.identity_id where p.session_id = ${sessionId}`.execute(
		db(),
	)
	return rows[0]?.provider
}

interface ProviderSession {
	sessionId: number
	identityId: number
	/** Encrypted; null if the provider cannot be asked again. */
	refreshToken: string | null
	/** The latest time at which the session ends; ISO 8601. */
	endsAt: string | null
	/** The provider's id of the session, by which a logout names it; null if it tells none. */
	sid: string | null
}

/**
 * Stores which identity began a session, how to check it at its provider, and when it ends.
 * @returns whether the identity still belongs to the session's member; concurrent unlinking is serialized
 */
export async function insertProviderSession(session: ProviderSession): Promise<boolean> {
	const { sessionId, identityId, refreshToken, endsAt, sid } = session
	const { rows } = await sql`
		with identity as (
			select i.id from identities i join sessions s on s.user_id = i.user_id
			where i.id = ${identityId} and s.id = ${sessionId} for share of i
		)
		insert into provider_sessions (session_id, identity_id, refresh_token, ends_at, sid)
		select ${sessionId}, id, ${refreshToken}, ${endsAt}::timestamptz, ${sid} from identity returning session_id`.execute(
		db(),
	)
	return rows.length > 0
}

/** Ends expired sessions. @returns their members */
export async function deleteOverdueSessions(): Promise<number[]> {
	const { rows } = await sql<{ user_id: number }>`
		delete from sessions using provider_sessions p where p.session_id = sessions.id and p.ends_at <= now()
		returning sessions.user_id`.execute(db())
	return rows.map(({ user_id }) => user_id)
}

export interface ProviderSessionRow {
	session_id: number
	identity_id: number
	user_id: number
	provider: string
	issuer: string
	subject: string
	refresh_token: string | null
}

/**
 * Claims the check of a session at its provider, if the last one started longer ago than this many seconds, or in the future, by a clock
 * that has been set right. One process gets it.
 */
export async function claimSessionCheck(
	sessionId: number,
	provider: string,
	seconds: number,
): Promise<ProviderSessionRow | undefined> {
	const { rows } = await sql<ProviderSessionRow>`
		update provider_sessions p set checked_at = now() from identities i
		where p.session_id = ${sessionId} and i.id = p.identity_id
			and (p.checked_at < now() - make_interval(secs => ${seconds}) or p.checked_at > now() + interval '1 minute')
			and i.provider = ${provider}
		returning p.session_id, p.identity_id, i.user_id, i.provider, i.issuer, i.subject, p.refresh_token`.execute(db())
	return rows[0]
}

/** The member of a session; undefined once it has ended. */
export async function findSessionOwner(
	trx: Executor,
	sessionId: number,
): Promise<{ id: number; username: string } | undefined> {
	const { rows } = await sql<{ id: number; username: string }>`
		select u.id, u.username from sessions s join users u on u.id = s.user_id where s.id = ${sessionId}`.execute(trx)
	return rows[0]
}

/** The valid sessions that can be checked, of an identity or of any identity of a member at these providers; last used first. */
export async function listProviderSessions(
	of: { identityId: number } | { userId: number; providers: string[] },
	executor: Executor = db(),
): Promise<number[]> {
	const isTheirs =
		'identityId' in of
			? sql`i.id = ${of.identityId}`
			: sql`s.user_id = ${of.userId} and i.provider = any(${of.providers})`
	const { rows } = await sql<{ id: number }>`
		select s.id from identities i join provider_sessions p on p.identity_id = i.id join sessions s on s.id = p.session_id
		where ${isTheirs} and p.refresh_token is not null and s.expires_at > now() order by s.updated_at desc, s.id desc`.execute(
		executor,
	)
	return rows.map(({ id }) => id)
}

/** Ends sessions. Locks their member, so that no session begins meanwhile. @returns whether one of them was still there */
export async function deleteRefusedSessions(trx: Executor, userId: number, ids: number[]): Promise<boolean> {
	await sql`select from users where id = ${userId} for update`.execute(trx)
	const { rows } = await sql`
		delete from sessions where user_id = ${userId} and id = any(${ids}::int[]) returning id`.execute(trx)
	return rows.length > 0
}

/** Stores the rotated refresh token. */
export async function replaceRefreshToken(sessionId: number, refreshToken: string): Promise<void> {
	await sql`update provider_sessions set refresh_token = ${refreshToken} where session_id = ${sessionId}`.execute(db())
}

/** A member's identity at a provider, if there is one. */
export async function findIdentity(
	userId: number,
	provider: string,
): Promise<Pick<Identity, 'issuer' | 'subject' | 'name'> | undefined> {
	const { rows } = await sql<Identity>`
		select issuer, subject, name from identities where user_id = ${userId} and provider = ${provider}`.execute(db())
	return rows[0]
}
