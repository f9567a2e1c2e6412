import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

export interface CampusRow {
	user_id: number
	username: string
	name: string
	email: string
	university_email: string
	campus_name: string
	campus_verified_at: Date | null
}

const columns = sql`profiles.user_id, users.username, users.name, users.email, university_email, campus_name, campus_verified_at`

/** What a member's confirmation is about. An account without a profile row reads as one without an address. */
export async function findCampus(userId: number, executor: Executor = db()): Promise<CampusRow | undefined> {
	const { rows } = await sql<CampusRow>`
		select ${columns} from profiles join users on users.id = profiles.user_id where user_id = ${userId}`.execute(
		executor,
	)
	return rows[0]
}

/** Keeps a link in place of those that the member was mailed before, and sweeps away what is too old. */
export async function replaceLink(
	trx: Executor,
	{ hash, userId, email, expiresAt }: { hash: string; userId: number; email: string; expiresAt: Date },
): Promise<void> {
	await trx
		.deleteFrom('campus_links')
		.where((where) => where.or([where('user_id', '=', userId), where('expires_at', '<', new Date())]))
		.execute()
	await trx
		.insertInto('campus_links')
		.values({ token_hash: hash, user_id: userId, email, expires_at: expiresAt })
		.execute()
}

/** The member whom a link was mailed for, while it works and their address is still the one that it was mailed to. */
export async function findByLink(hash: string): Promise<CampusRow | undefined> {
	const { rows } = await sql<CampusRow>`
		select ${columns} from campus_links
		join profiles on profiles.user_id = campus_links.user_id join users on users.id = profiles.user_id
		where token_hash = ${hash} and expires_at > now() and campus_links.email = university_email`.execute(db())
	return rows[0]
}

/** Takes a link out of use. Of two at once, one gets it. @returns whom it was mailed for, and the address */
export async function takeLink(trx: Executor, hash: string): Promise<{ user_id: number; email: string } | undefined> {
	return trx
		.deleteFrom('campus_links')
		.where('token_hash', '=', hash)
		.where('expires_at', '>', new Date())
		.returning(['user_id', 'email'])
		.executeTakeFirst()
}

/** Gives an address free that another member confirmed before `since`, when their confirmation has lapsed. */
export async function releaseLapsed(trx: Executor, userId: number, email: string, since: Date): Promise<void> {
	await sql`
		update profiles set campus_name = '', campus_verified_at = null
		where regexp_replace(university_email, '\\+[^@]*@', '@') = regexp_replace(${email}, '\\+[^@]*@', '@')
			and campus_verified_at is not null and campus_verified_at < ${since} and user_id <> ${userId}`.execute(trx)
}

/** Writes the address of a university into a profile that has none. */
export async function fillCampusAddress(trx: Executor, userId: number, email: string): Promise<void> {
	await sql`
		update profiles set university_email = ${email} where user_id = ${userId} and university_email = ''`.execute(trx)
}

/** Marks the member's address as confirmed, if it is still this one. @returns the username, undefined when it is another */
export async function confirmCampusAddress(
	trx: Executor,
	userId: number,
	email: string,
	university: string,
): Promise<string | undefined> {
	const { rows } = await sql<{ username: string }>`
		update profiles set campus_name = ${university}, campus_verified_at = now(), campus_reminded_at = null
		from users where users.id = user_id and user_id = ${userId} and university_email = ${email}
		returning users.username`.execute(trx)
	return rows[0]?.username
}

/**
 * Members whose confirmation was made between the two times and who were not reminded of it; they are from now on. Locked
 * rows are left to whoever locked them, so two processes remind nobody twice.
 */
export async function takeUnreminded(trx: Executor, after: Date, before: Date, limit: number): Promise<CampusRow[]> {
	const { rows } = await sql<CampusRow>`
		with due as (
			select user_id from profiles
			where campus_verified_at > ${after} and campus_verified_at <= ${before} and campus_reminded_at is null
			order by campus_verified_at limit ${limit} for update skip locked
		)
		update profiles set campus_reminded_at = now() from due, users
		where profiles.user_id = due.user_id and users.id = due.user_id returning ${columns}`.execute(trx)
	return rows
}
