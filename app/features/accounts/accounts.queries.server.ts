import { sql } from 'kysely'
import { deleteResetLinks } from '~/features/sessions/passwords.queries.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'
import type { Merge } from '~/platform/member-data.ts'

/** Reserves a username if nobody has it. @returns whether it was free */
export async function claimUsername(username: string, executor: Executor = db()): Promise<boolean> {
	const claimed = await executor
		.insertInto('usernames')
		.values({ username })
		.onConflict((conflict) => conflict.doNothing())
		.returning('username')
		.executeTakeFirst()
	return claimed !== undefined
}

/**
 * The e-mail address of the account that has, or had, this username; null if there is none, and for imported accounts, which cannot
 * log in.
 */
export async function findEmailByUsername(username: string): Promise<string | null> {
	const { rows } = await sql<{ email: string }>`
		select email from users join usernames on usernames.user_id = users.id
		where usernames.username = ${username} and not imported`.execute(db())
	return rows[0]?.email ?? null
}

/** The first address of the account that has this one as its first or second address; the given address, where there is no such account. */
export async function findMainEmail(email: string): Promise<string> {
	const { rows } = await sql<{ email: string }>`
		select users.email from account_emails held join users on users.id = held.user_id where held.email = ${email}`.execute(
		db(),
	)
	return rows[0]?.email ?? email
}

/**
 * Locks a member's row until the transaction ends, so that counting before an insert is exact.
 * @throws NotAllowed when the account was just deleted, or merged into another one
 */
export async function lockMember(trx: Executor, userId: number): Promise<void> {
	const { rows } = await sql`select from users where id = ${userId} for no key update`.execute(trx)
	if (rows.length === 0) throw new NotAllowed('This account no longer exists.')
}

/** Moderators and admins: a few members, found by an index of their own. */
export function listStaff(executor: Executor = db()): Promise<{ username: string; name: string }[]> {
	return executor.selectFrom('users').select(['username', 'name']).where('role', '<>', 'member').execute()
}

/**
 * The number of members. An account without e-mail confirmation is counted just after it is created: a check in between counts it
 * twice, which the next night's check corrects.
 */
export const memberCounter: Counter = {
	table: 'counters',
	column: 'value',
	key: 'name',
	where: sql`t.name = 'members'`,
	actual: sql`(select count(*) from users u where not u.imported)`,
}

/** Completes a new account: creates its empty profile and counts it. */
async function completeAccount(trx: Executor, userId: number): Promise<void> {
	await trx
		.insertInto('profiles')
		.values({ user_id: userId })
		.onConflict((conflict) => conflict.doNothing())
		.execute()
	await sql`update counters set value = value + 1 where name = 'members'`.execute(trx)
}

/**
 * Creates an account. Its address is confirmed, unless `isVerified` is false.
 * @param member.passwordHash null for an account without a password
 * @param member.agreedTo the version of the terms that was accepted
 * @returns its id, or null when the address already has an account
 */
export async function insertAccount(
	trx: Executor,
	member: {
		username: string
		name: string
		email: string
		passwordHash: string | null
		isVerified?: boolean
		agreedTo?: number
	},
): Promise<number | null> {
	const { username, name, email, passwordHash, isVerified = true, agreedTo = 0 } = member
	if (await findAccountByEmail(email, trx)) return null
	const user = await trx
		.insertInto('users')
		.values({ username, name, email, email_verified: isVerified, image: null, agreed_to: agreedTo })
		.onConflict((conflict) => conflict.column('email').doNothing())
		.returning('id')
		.executeTakeFirst()
	if (!user) return null
	if (passwordHash !== null)
		await trx
			.insertInto('credentials')
			.values({ user_id: user.id, account_id: String(user.id), provider_id: 'credential', password: passwordHash })
			.execute()
	await completeAccount(trx, user.id)
	return user.id
}

interface MemberRow {
	id: number
	name: string
	username: string
	email_verified: boolean
}

/** The member with this first or second address, or null; accounts of imported authors do not count. */
export async function findAccountByEmail(email: string, executor: Executor = db()): Promise<MemberRow | null> {
	const { rows } = await sql<MemberRow>`
		select id, name, username, email_verified from account_emails held join users on users.id = held.user_id
		where held.email = ${email} and not imported`.execute(executor)
	return rows[0] ?? null
}

/** Marks a member's address as confirmed. */
export async function confirmMember(userId: number, executor: Executor = db()): Promise<void> {
	await sql`update users set email_verified = true where id = ${userId} and not email_verified`.execute(executor)
}

/** The owner of a valid link to reset the password, by the hash of its token. */
export async function findResetOwner(
	hash: string,
): Promise<{ id: number; email: string; name: string; username: string } | undefined> {
	const { rows } = await sql<{ id: number; email: string; name: string; username: string }>`
		select users.id, users.email, users.name, users.username from verifications
		join users on users.id::text = verifications.value
		where identifier = ${hash} and verifications.expires_at > now()`.execute(db())
	return rows[0]
}

/** Whether this member has a second factor. */
export async function hasSecondFactor(userId: number): Promise<boolean> {
	const user = await db().selectFrom('users').select('second_factor').where('id', '=', userId).executeTakeFirst()
	return user?.second_factor === true
}

/**
 * Stores that the first step of a member's login succeeded.
 * @param challenge.seconds how long it is valid
 * @param challenge.loginData data of the login method for the session; null for a password
 */
export async function insertLoginChallenge(challenge: {
	userId: number
	hash: string
	seconds: number
	loginData: string | null
}): Promise<void> {
	const { userId, hash, seconds, loginData } = challenge
	await sql`insert into login_challenges (token_hash, user_id, expires_at, kept)
		values (${hash}, ${userId}, now() + make_interval(secs => ${seconds}), ${loginData})`.execute(db())
}

/** A login that waits for its second step. */
export interface PendingLogin {
	id: number
	email: string
	username: string
	/** Whether they asked to leave, and may still come back. */
	is_leaving: boolean
}

/** The login that waits for its second step under this hash; undefined when there is none. */
export async function findLoginChallenge(hash: string): Promise<PendingLogin | undefined> {
	const { rows } = await sql<PendingLogin>`
		select users.id, users.email, users.username, users.leaves_at is not null as is_leaving from login_challenges join users on users.id = user_id
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return rows[0]
}

/** Deletes expired logins; call it regularly. */
export async function sweepLoginChallenges(): Promise<void> {
	await sql`delete from login_challenges where expires_at < now()`.execute(db())
}

/**
 * Removes password, passkeys, second factor, sessions, tokens and devices of an account: only a mail to it lets its owner in again.
 * @param hasOtherWay whether they can set a password, or are about to link a login; otherwise the linked ones stay, as the only way in
 * @returns whether there was a passkey, a linked login or a second factor
 */
export async function removeCredentials(trx: Executor, userId: number, hasOtherWay: boolean): Promise<boolean> {
	await lockMember(trx, userId)
	await sql`update credentials set password = null where user_id = ${userId}`.execute(trx)
	// Whatever can begin a session is deleted before the sessions, and whatever a session can add, after them.
	const first = ['passkeys', 'login_challenges', ...(hasOtherWay ? ['identities'] : [])]
	let hasRemoved = false
	for (const table of [...first, 'sessions', 'access_tokens', 'known_devices', 'totp_secrets', 'recovery_codes']) {
		const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where user_id = ${userId}`.execute(trx)
		if (['passkeys', 'identities', 'totp_secrets'].includes(table)) hasRemoved ||= numAffectedRows > 0n
	}
	return hasRemoved
}

/** Invalidates all links that were mailed to any address of an account that is merged into another one. */
export async function deleteMailedLinks(trx: Executor, { goneId }: Merge): Promise<void> {
	await deleteResetLinks(goneId, trx)
	await sql`
		delete from email_links where email in (select email from account_emails where user_id = ${goneId})`.execute(trx)
}

/** What the settings page shows of an account. */
export function findAccount(
	userId: number,
): Promise<{ email: string; email_verified: boolean; created_at: Date; second_factor: boolean } | undefined> {
	return db()
		.selectFrom('users')
		.select(['email', 'email_verified', 'created_at', 'second_factor'])
		.where('id', '=', userId)
		.executeTakeFirst()
}

/** `suspended_until` as text: `infinity` is no timestamp in JavaScript, and an expired suspension becomes null. */
export const suspendedUntil = (table: string) =>
	sql`case when ${sql.raw(table)}.suspended_until = 'infinity' then 'infinity' when ${sql.raw(table)}.suspended_until > now()
		then ${isoSeconds(`${table}.suspended_until`)} end`

export interface WritingStatus {
	/** ISO 8601 as PostgreSQL prints it, or `infinity`; null without a current suspension. */
	suspended_until: string | null
	suspended_reason: string
	/** When the account of a member who leaves will be deleted, in the same format; null for everybody else. */
	leaves_at: string | null
	/** The newest version of the terms that the member accepted; 0 for none. */
	agreed_to: number
}

/** The columns of {@link WritingStatus}, for statements that read `users`. */
export const writingStatusColumns = sql`${suspendedUntil('users')} as suspended_until, suspended_reason, users.agreed_to,
	${isoSeconds('users.leaves_at')} as leaves_at`

/** Whether, until when and why a member is suspended; undefined when the account is gone. */
export async function findWritingStatus(userId: number, executor: Executor = db()): Promise<WritingStatus | undefined> {
	const { rows } = await sql<WritingStatus>`
		select ${writingStatusColumns} from users where id = ${userId}`.execute(executor)
	return rows[0]
}

/** Whether the member with one of these addresses, or whose username this is or was, has asked to leave. */
export async function isLeaving(login: string): Promise<boolean> {
	const { rows } = await sql`
		select from users where leaves_at is not null and id in (
			select user_id from account_emails where email = lower(${login})
			union all select user_id from usernames where username = lower(${login}))`.execute(db())
	return rows.length > 0
}

/** Deletes rows that name a member by their address or in a text, which no foreign key covers. */
export async function deleteTraces(
	trx: Executor,
	{ id, emails }: { id: number; emails: readonly string[] },
	mailBudgets: readonly string[],
): Promise<void> {
	await sql`delete from verifications where value = ${String(id)}`.execute(trx)
	await sql`delete from registrations where email = any(${[...emails]}::text[])`.execute(trx)
	await sql`delete from email_links where email = any(${[...emails]}::text[])`.execute(trx)
	await sql`delete from account_mails where address = any(${[...mailBudgets]}::text[])`.execute(trx)
}
