import { type Generated, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		registrations: {
			email: string
			name: string
			password_hash: string
			device_hash: string
			agreed_to: Generated<number>
			created_at: Generated<Date>
		}
	}
}

interface Registration {
	email: string
	name: string
	password_hash: string
	device_hash: string
	/** The version of the terms that was accepted. */
	agreed_to: number
}

/** Stores a registration in place of an earlier one of this address, whose links become invalid. */
export async function replaceRegistration(registration: Registration, executor: Executor = db()): Promise<void> {
	const { email, name, password_hash, device_hash, agreed_to } = registration
	await sql`
		with dead as (delete from email_links where email = ${email} and user_id is null and used_at is null)
		insert into registrations (email, name, password_hash, device_hash, agreed_to)
		values (${email}, ${name}, ${password_hash}, ${device_hash}, ${agreed_to})
		on conflict (email) do update set name = excluded.name, password_hash = excluded.password_hash,
			device_hash = excluded.device_hash, agreed_to = excluded.agreed_to, invite_id = null, created_at = now()`.execute(
		executor,
	)
}

/** The unconfirmed registration of an address, for a day. After that its use of an invitation is free for others. */
export async function findRegistration(trx: Executor, email: string): Promise<Registration | undefined> {
	const { rows } = await sql<Registration>`
		select email, name, password_hash, device_hash, agreed_to from registrations
		where email = ${email} and created_at > now() - interval '1 day'`.execute(trx)
	return rows[0]
}

/** Stores the invitation of a new member, from their registration. */
export async function copyRegistrationInvite(trx: Executor, userId: number, email: string): Promise<void> {
	await sql`
		update users set invite_id = invites.id, cohort = invites.cohort
		from registrations join invites on invites.id = registrations.invite_id
		where users.id = ${userId} and registrations.email = ${email}`.execute(trx)
}

/** Deletes the unconfirmed registration of an address, and its links. @param keptLink the hash of one that stays, without effect */
export async function deleteRegistration(trx: Executor, email: string, keptLink = ''): Promise<void> {
	await sql`
		with dead as (
			delete from email_links where email = ${email} and user_id is null and used_at is null and token_hash <> ${keptLink})
		delete from registrations where email = ${email}`.execute(trx)
}

/**
 * Deletes the registration of an address that has an account. If it used an invitation, that use is kept for a day, as for any
 * other address: otherwise the number of uses left would reveal who is a member.
 */
export async function deleteNeedlessRegistration(trx: Executor, email: string): Promise<void> {
	await sql`delete from registrations where email = ${email} and invite_id is null`.execute(trx)
}

/**
 * The password hash of an unconfirmed address: of a registration, or of a member from before confirmation was required.
 * @returns also whether a member has the address
 */
export async function findUnconfirmed(email: string): Promise<{ isMember: boolean; passwordHash: string | null }> {
	const { rows } = await sql<{ isMember: boolean; passwordHash: string | null }>`
		select users.id is not null as "isMember", case
			when users.id is null then registrations.password_hash
			when not users.email_verified then credentials.password end as "passwordHash"
		from (select ${email}::text as email) as asked
		left join users on users.email = asked.email and not users.imported
		left join credentials on credentials.user_id = users.id and credentials.provider_id = 'credential'
		left join registrations on registrations.email = asked.email`.execute(db())
	return rows[0] ?? { isMember: false, passwordHash: null }
}

/** A confirmation link, and what it would confirm. */
export interface EmailLink {
	email: string
	/** null when it completes a registration */
	user_id: number | null
	used_at: Date | null
	/** It has expired: its page offers another one. */
	is_over: boolean
	name: string
	password_hash: string | null
	device_hash: string | null
	/** The version of the terms that the registration accepted. */
	agreed_to: number
}

/**
 * A confirmation link that was mailed within a day. One with something to confirm has the name of the member or of the
 * registration.
 * @param lock locks the link until the transaction ends, so that it can be used only once
 */
export async function findEmailLink(
	executor: Executor,
	hash: string,
	{ lock = false } = {},
): Promise<EmailLink | undefined> {
	if (lock) await sql`select from email_links where token_hash = ${hash} for update`.execute(executor)
	const { rows } = await sql<EmailLink>`
		select link.email, link.user_id, link.used_at, link.works_until <= now() as is_over, coalesce(users.name, registrations.name, '') as name,
			coalesce(credentials.password, registrations.password_hash) as password_hash, registrations.device_hash,
			coalesce(registrations.agreed_to, 0) as agreed_to
		from email_links as link
		left join users on users.id = link.user_id
		left join credentials on credentials.user_id = users.id and credentials.provider_id = 'credential'
		left join registrations on registrations.email = link.email and link.user_id is null
		where token_hash = ${hash} and expires_at > now()`.execute(executor)
	return rows[0]
}

/** Marks a link as used. */
export async function markEmailLinkUsed(trx: Executor, hash: string): Promise<void> {
	await sql`update email_links set used_at = now() where token_hash = ${hash}`.execute(trx)
}

/** Deletes a link. */
export async function deleteEmailLink(trx: Executor, hash: string): Promise<void> {
	await sql`delete from email_links where token_hash = ${hash}`.execute(trx)
}

const MAX_MAILS_PER_HOUR = 3
const MAX_MAILS_PER_DAY = 5

/** Takes one mail from the budget of an address, given by its hash; exact under concurrency. @returns whether there was one left */
export async function takeMailBudget(trx: Executor, address: string): Promise<boolean> {
	await sql`select pg_advisory_xact_lock(hashtextextended(${address}, 30))`.execute(trx)
	const { rows } = await sql`
		insert into account_mails (address)
		select ${address} from account_mails
		where address = ${address} and sent_at > now() - interval '1 day' and sent_at <= now()
		having count(*) < ${MAX_MAILS_PER_DAY}
			and count(*) filter (where sent_at > now() - interval '1 hour') < ${MAX_MAILS_PER_HOUR}
		returning id`.execute(trx)
	return rows.length > 0
}

/**
 * Stores a confirmation link; earlier links to the same address become invalid.
 * @param link.seconds for how long it is valid
 * @param link.retentionSeconds seconds for which its page recognizes it, and offers another one
 */
export async function insertEmailLink(
	trx: Executor,
	link: { hash: string; email: string; userId: number | null; seconds: number; retentionSeconds: number },
): Promise<void> {
	await sql`delete from email_links where email = ${link.email} and used_at is null`.execute(trx)
	await sql`
		insert into email_links (token_hash, email, user_id, works_until, expires_at)
		values (${link.hash}, ${link.email}, ${link.userId}, now() + make_interval(secs => ${link.seconds}),
			now() + make_interval(secs => ${link.retentionSeconds}))`.execute(trx)
	await sql`update registrations set created_at = now() where email = ${link.email}`.execute(trx)
}

/** Stores a password reset link where Better Auth looks for it; the member's older ones become invalid. */
export async function replaceResetLink(
	trx: Executor,
	link: { userId: number; hash: string; seconds: number; addresses: readonly string[] },
): Promise<void> {
	await sql`delete from verifications where value = ${String(link.userId)}`.execute(trx)
	await sql`
		insert into verifications (identifier, value, expires_at, confirms_address)
		select ${link.hash}, id::text, now() + make_interval(secs => ${link.seconds}), email = all(${[...link.addresses]}::text[])
		from users where id = ${link.userId}`.execute(trx)
}

/** Makes a confirmation link valid for this many seconds from now. @returns false when it was used or revoked, or is too old */
export async function activateEmailLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update email_links set works_until = now() + make_interval(secs => ${seconds})
		where token_hash = ${hash} and used_at is null and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/**
 * Makes a password reset link valid for this many seconds from now.
 * @returns false when it was used or revoked, or its mail waited for too long
 */
export async function activateResetLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update verifications set expires_at = now() + make_interval(secs => ${seconds})
		where identifier = ${hash} and created_at > now() - interval '1 day' and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/** Valid links at a time: each start of each node prints one. */
const MAX_CLAIMS = 20

/** Makes the member with this address admin, once the address is confirmed. @returns their id, if they became admin now */
export async function promoteConfirmed(trx: Executor, email: string): Promise<number | null> {
	const promoted = await trx
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

/**
 * Whether this site has an admin who can act: not one who is leaving, or whom the university has logged out. A suspended one
 * counts, as a suspension ends by itself.
 */
export async function hasAdmin(executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql`
		select from users where role = 'admin' and not imported and leaves_at is null and absent_since is null limit 1`.execute(
		executor,
	)
	return rows.length > 0
}

/** Stores a link that makes its follower admin, by the hash of its token; the oldest beyond the limit become invalid. */
export async function insertClaim(hash: string): Promise<void> {
	await sql`insert into admin_claims (token_hash) values (${hash})`.execute(db())
	await sql`
		delete from admin_claims where token_hash not in (
			select token_hash from admin_claims order by created_at desc, token_hash limit ${MAX_CLAIMS})`.execute(db())
}

/** Whether such a link is valid: it was printed, and there is no admin yet. */
export async function isAdminClaimValid(hash: string, executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql`select from admin_claims where token_hash = ${hash}`.execute(executor)
	return rows.length > 0 && !(await hasAdmin(executor))
}

/** Serializes concurrent uses of such links. */
export async function lockClaims(trx: Executor): Promise<void> {
	await sql`lock table admin_claims in exclusive mode`.execute(trx)
}

/** Makes a member admin, and invalidates all such links. */
export async function redeemAdminClaim(trx: Executor, userId: number): Promise<void> {
	await sql`update users set role = 'admin' where id = ${userId}`.execute(trx)
	await deleteClaims(trx)
}

/** Invalidates all such links. */
export async function deleteClaims(executor: Executor = db()): Promise<void> {
	await sql`delete from admin_claims`.execute(executor)
}

/** Ends all sessions, tokens and devices of the accounts with these addresses. */
export async function endAccessByEmail(emails: string[]): Promise<void> {
	for (const table of ['sessions', 'access_tokens', 'known_devices'])
		await sql`delete from ${sql.table(table)} where user_id in (
			select id from users where email = any(${emails}))`.execute(db())
}

/** Deletes expired links, also those of a start that found no admin once there is one, registrations and mail budgets. */
export async function sweepRegistrations(): Promise<void> {
	await sql`delete from verifications where expires_at < now()`.execute(db())
	await sql`delete from email_links where expires_at < now()`.execute(db())
	await sql`delete from registrations where created_at < now() - interval '1 day'`.execute(db())
	await sql`delete from account_mails where sent_at < now() - interval '1 day'`.execute(db())
	if (await hasAdmin()) await deleteClaims()
}
