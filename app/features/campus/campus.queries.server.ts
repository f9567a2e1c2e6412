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

/**
 * Keeps a link in place of those that the member was mailed before, and sweeps away what is too old.
 * @param link.seconds for how long it works
 * @param link.kept seconds for which its page knows it, and sends another one
 */
export async function replaceLink(
	trx: Executor,
	{
		hash,
		userId,
		email,
		seconds,
		kept,
	}: { hash: string; userId: number; email: string; seconds: number; kept: number },
): Promise<void> {
	await trx
		.deleteFrom('campus_links')
		.where((where) => where.or([where('user_id', '=', userId), where('expires_at', '<', new Date())]))
		.execute()
	await sql`
		insert into campus_links (token_hash, user_id, email, works_until, expires_at)
		values (${hash}, ${userId}, ${email}, now() + make_interval(secs => ${seconds}),
			now() + make_interval(secs => ${kept}))`.execute(trx)
}

/** Has a link work for so many seconds from now. @returns false when it was used or replaced, or is too old */
export async function beginLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update campus_links set works_until = now() + make_interval(secs => ${seconds})
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/**
 * The member whom a link was mailed for, while their address is still the one that it was mailed to.
 * @returns also whether the time of the link is over
 */
export async function findByLink(hash: string): Promise<(CampusRow & { is_over: boolean }) | undefined> {
	const { rows } = await sql<CampusRow & { is_over: boolean }>`
		select ${columns}, works_until <= now() as is_over from campus_links
		join profiles on profiles.user_id = campus_links.user_id join users on users.id = profiles.user_id
		where token_hash = ${hash} and expires_at > now() and campus_links.email = university_email`.execute(db())
	return rows[0]
}

/** Takes a link out of use. Of two at once, one gets it. @returns whom it was mailed for, the address, and whether its time is over */
export async function takeLink(
	trx: Executor,
	hash: string,
): Promise<{ user_id: number; email: string; is_over: boolean } | undefined> {
	const { rows } = await sql<{ user_id: number; email: string; is_over: boolean }>`
		delete from campus_links where token_hash = ${hash} and expires_at > now()
		returning user_id, email, works_until <= now() as is_over`.execute(trx)
	return rows[0]
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
