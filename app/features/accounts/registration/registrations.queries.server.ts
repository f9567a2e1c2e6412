import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

export interface Registration {
	email: string
	name: string
	password_hash: string
	device_hash: string
}

/** Keeps a registration in place of an earlier one of this address; the links that were mailed for that one work no more. */
export async function replaceRegistration(registration: Registration): Promise<void> {
	const { email, name, password_hash, device_hash } = registration
	await sql`
		with dead as (delete from email_links where email = ${email} and user_id is null and used_at is null)
		insert into registrations (email, name, password_hash, device_hash)
		values (${email}, ${name}, ${password_hash}, ${device_hash})
		on conflict (email) do update set name = excluded.name, password_hash = excluded.password_hash,
			device_hash = excluded.device_hash, created_at = now()`.execute(db())
}

/** The registration of an address that waits to be confirmed. */
export async function findRegistration(trx: Executor, email: string): Promise<Registration | undefined> {
	return trx
		.selectFrom('registrations')
		.select(['email', 'name', 'password_hash', 'device_hash'])
		.where('email', '=', email)
		.executeTakeFirst()
}

export async function deleteRegistration(trx: Executor, email: string): Promise<void> {
	await sql`
		with dead as (delete from email_links where email = ${email} and user_id is null and used_at is null)
		delete from registrations where email = ${email}`.execute(trx)
}

/**
 * The password of whoever has not confirmed this address: of a registration, or of a member from before that was asked.
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

/** A link of a mail, and what it would confirm. */
export interface EmailLink {
	email: string
	/** null when it completes a registration */
	user_id: number | null
	used_at: Date | null
	name: string
	password_hash: string | null
	device_hash: string | null
}

/**
 * A link that is not too old. One that still works has a name: that of the member, or of the registration.
 * @param lock holds the link until the transaction ends, so that of two who use it one is first
 */
export async function findEmailLink(
	executor: Executor,
	hash: string,
	{ lock = false } = {},
): Promise<EmailLink | undefined> {
	if (lock) await sql`select from email_links where token_hash = ${hash} for update`.execute(executor)
	const { rows } = await sql<EmailLink>`
		select link.email, link.user_id, link.used_at, coalesce(users.name, registrations.name, '') as name,
			coalesce(credentials.password, registrations.password_hash) as password_hash, registrations.device_hash
		from email_links as link
		left join users on users.id = link.user_id
		left join credentials on credentials.user_id = users.id and credentials.provider_id = 'credential'
		left join registrations on registrations.email = link.email and link.user_id is null
		where token_hash = ${hash} and expires_at > now()`.execute(executor)
	return rows[0]
}

/** Takes a link out of use. */
export async function markEmailLinkUsed(trx: Executor, hash: string): Promise<void> {
	await sql`update email_links set used_at = now() where token_hash = ${hash}`.execute(trx)
}

/** Forgets a link, as if it had never been mailed. */
export async function deleteEmailLink(trx: Executor, hash: string): Promise<void> {
	await sql`delete from email_links where token_hash = ${hash}`.execute(trx)
}
