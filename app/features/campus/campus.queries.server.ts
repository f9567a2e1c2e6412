import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type CampusField, campusFields } from './campus-fields.view.ts'

export interface CampusRow {
	user_id: number
	username: string
	name: string
	email: string
	university_email: string
	campus_name: string
	campus_verified_at: Date | null
	/** Whether the university says that they have left it. */
	has_left: boolean
}

const columns = sql`profiles.user_id, users.username, users.name, users.email, university_email, campus_name, campus_verified_at,
	users.left_campus_at is not null as has_left`

/** A member's university address and its confirmation. An account without a profile row counts as one without an address. */
export async function findCampus(userId: number, executor: Executor = db()): Promise<CampusRow | undefined> {
	const { rows } = await sql<CampusRow>`
		select ${columns} from profiles join users on users.id = profiles.user_id where user_id = ${userId}`.execute(
		executor,
	)
	return rows[0]
}

/** Locks a profile, as whoever marks its member as having left the university does. @returns whether they are marked */
export async function lockLeft(trx: Executor, userId: number): Promise<boolean> {
	await sql`select from profiles where user_id = ${userId} for update`.execute(trx)
	return (await findCampus(userId, trx))?.has_left === true
}

/**
 * Stores a link in place of the member's earlier ones, and deletes old links.
 * @param link.seconds its lifetime
 * @param link.retentionSeconds seconds for which an expired link can still be exchanged for a new one
 */
export async function replaceLink(
	trx: Executor,
	{
		hash,
		userId,
		email,
		seconds,
		retentionSeconds,
	}: { hash: string; userId: number; email: string; seconds: number; retentionSeconds: number },
): Promise<void> {
	await trx
		.deleteFrom('campus_links')
		.where((where) => where.or([where('user_id', '=', userId), where('expires_at', '<', new Date())]))
		.execute()
	await sql`
		insert into campus_links (token_hash, user_id, email, works_until, expires_at)
		values (${hash}, ${userId}, ${email}, now() + make_interval(secs => ${seconds}),
			now() + make_interval(secs => ${retentionSeconds}))`.execute(trx)
}

/** Starts the lifetime of a link, in seconds from now. @returns false if it was used, replaced or deleted */
export async function activateLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update campus_links set works_until = now() + make_interval(secs => ${seconds})
		where token_hash = ${hash} and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

/** The member a link was mailed to, if they still have that address. @returns also whether the link has expired */
export async function findByLink(hash: string): Promise<(CampusRow & { is_over: boolean }) | undefined> {
	const { rows } = await sql<CampusRow & { is_over: boolean }>`
		select ${columns}, works_until <= now() as is_over from campus_links
		join profiles on profiles.user_id = campus_links.user_id join users on users.id = profiles.user_id
		where token_hash = ${hash} and expires_at > now() and campus_links.email = university_email`.execute(db())
	return rows[0]
}

/** Uses up a link; of two concurrent uses one succeeds. @returns the member, the address, and whether the link has expired */
export async function consumeLink(
	trx: Executor,
	hash: string,
): Promise<{ user_id: number; email: string; is_over: boolean } | undefined> {
	const { rows } = await sql<{ user_id: number; email: string; is_over: boolean }>`
		delete from campus_links where token_hash = ${hash} and expires_at > now()
		returning user_id, email, works_until <= now() as is_over`.execute(trx)
	return rows[0]
}

/** Releases an address from another member whose confirmation, made before `since`, has expired. */
export async function releaseExpiredAddress(trx: Executor, userId: number, email: string, since: Date): Promise<void> {
	await sql`
		update profiles set campus_name = '', campus_verified_at = null
		where regexp_replace(university_email, '\\+[^@]*@', '@') = regexp_replace(${email}, '\\+[^@]*@', '@')
			and campus_verified_at is not null and campus_verified_at < ${since} and user_id <> ${userId}`.execute(trx)
}

/** Sets the university address of a profile that has none. */
export async function fillCampusAddress(trx: Executor, userId: number, email: string): Promise<void> {
	await sql`
		update profiles set university_email = ${email} where user_id = ${userId} and university_email = ''`.execute(trx)
}

/** Confirms the member's address. @returns the username; undefined if the address has changed */
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
 * Marks the members who confirmed between the two times, and are not leaving, as reminded. Returns those who were not marked
 * before. Skips locked rows, so that two processes never remind the same member.
 */
export async function claimDueReminders(trx: Executor, after: Date, before: Date, limit: number): Promise<CampusRow[]> {
	const { rows } = await sql<CampusRow>`
		with due as (
			select user_id from profiles
			where campus_verified_at > ${after} and campus_verified_at <= ${before} and campus_reminded_at is null
				and not exists (select from users where users.id = user_id and leaves_at is not null)
			order by campus_verified_at limit ${limit} for update skip locked
		)
		update profiles set campus_reminded_at = now() from due, users
		where profiles.user_id = due.user_id and users.id = due.user_id returning ${columns}`.execute(trx)
	return rows
}

/** The present values of a member's campus fields as a JSON object of texts: of `users u` and, where there is one, `profiles p`. */
export const campusFieldValues = sql`jsonb_build_object('fullName', u.name,
	'enrol_in_branch_name', coalesce(p.enrol_in_branch_name, ''), 'year_of_passing', coalesce(p.year_of_passing::text, ''),
	'current_year', coalesce(p.current_year::text, ''), 'current_semester', coalesce(p.current_semester::text, ''),
	'enrolment_number', coalesce(p.enrolment_number, ''), 'cohort', u.cohort)`

/** The fields of a member that have the value that the login of the campus delivered last. */
export async function listCampusFields(userId: number): Promise<CampusField[]> {
	const { rows } = await sql<{ field: string }>`
		select f.field from campus_fields f join users u on u.id = f.user_id left join profiles p on p.user_id = u.id
		where f.user_id = ${userId} and f.value = ${campusFieldValues} ->> f.field`.execute(db())
	const found = new Set(rows.map(({ field }) => field))
	return campusFields.filter((field) => found.has(field))
}
