import { sql } from 'kysely'
import { db, type Executor, idArray } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'

/** SQL condition: a moderator hid the profile `p`, not only its leaving member, who shows it again by coming back. */
const isHiddenByModerator = sql<boolean>`(p.hidden_at is not null
	and not exists (select from departures where departures.user_id = p.user_id and hid_profile))`

/**
 * Hides the texts and the picture of a profile that the caller has locked; those of a member who is leaving stay hidden when they come
 * back.
 * @returns false if they were hidden already
 */
export async function writeHidden(trx: Executor, userId: number, reason: string): Promise<boolean> {
	if (await writeHiddenForGood(trx, userId, reason)) return true
	const { rows } = await sql`
		update profiles set hidden_at = now(), hidden_reason = ${reason},
			hidden_image = (select image from users where id = ${userId})
		where user_id = ${userId} and hidden_at is null returning 1`.execute(trx)
	if (rows.length > 0) await sql`update users set image = null where id = ${userId}`.execute(trx)
	return rows.length > 0
}

/** @returns false unless the profile is hidden only as long as its member is leaving */
async function writeHiddenForGood(trx: Executor, userId: number, reason: string): Promise<boolean> {
	const { rows } = await sql`
		with leaver as (update departures set hid_profile = false where user_id = ${userId} and hid_profile returning user_id)
		update profiles set hidden_at = now(), hidden_reason = ${reason} from leaver
		where profiles.user_id = leaver.user_id returning 1`.execute(trx)
	return rows.length > 0
}

/**
 * Shows them again, with the owner's own visibility settings; those of a member who is leaving, once they come back.
 * @returns false if they were shown already, or will be then
 */
export async function writeShown(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql<{ leaves: boolean }>`
		select leaves_at is not null as leaves from users join profiles on profiles.user_id = users.id
		where users.id = ${userId} and hidden_at is not null`.execute(trx)
	const [hidden] = rows
	if (!hidden) return false
	if (hidden.leaves) return writeShownLater(trx, userId)
	await sql`
		update users set image = hidden_image from profiles
		where profiles.user_id = users.id and users.id = ${userId}`.execute(trx)
	await sql`update profiles set hidden_at = null, hidden_reason = '', hidden_image = null where user_id = ${userId}`.execute(
		trx,
	)
	return true
}

async function writeShownLater(trx: Executor, userId: number): Promise<boolean> {
	const { rows } = await sql`
		update departures set hid_profile = true where user_id = ${userId} and not hid_profile returning 1`.execute(trx)
	return rows.length > 0
}

/** Parts of a profile that are one text column of `profiles`, each with the form whose version counts its changes. */
const columns = {
	about: { empty: sql`about = '', about_html = null`, filled: sql`about <> ''`, version: sql`personal_version` },
	status: {
		empty: sql`status_line = '', status_until = null`,
		filled: sql`status_line <> ''`,
		version: sql`personal_version`,
	},
	pronouns: { empty: sql`pronouns = ''`, filled: sql`pronouns <> ''`, version: sql`personal_version` },
	city: { empty: sql`city = ''`, filled: sql`city <> ''`, version: sql`personal_version` },
	expertise: { empty: sql`expertise_in = ''`, filled: sql`expertise_in <> ''`, version: sql`personal_version` },
	phone: { empty: sql`phone = ''`, filled: sql`phone <> ''`, version: sql`personal_version` },
	academics: {
		empty: sql`university_name = '', location = '', enrol_in_branch_name = '', enrolment_number = ''`,
		filled: sql`concat(university_name, location, enrol_in_branch_name, enrolment_number) <> ''`,
		version: sql`academics_version`,
	},
	links: {
		empty: sql`github = '', linkedin = '', leetcode = '', portfolio = '', hackerrank = '', codechef = '', geeksforgeek = ''`,
		filled: sql`concat(github, linkedin, leetcode, portfolio, hackerrank, codechef, geeksforgeek) <> ''`,
		version: sql`social_version`,
	},
}

/** A text of a profile that can be cleared separately. */
export type TextPart = keyof typeof columns

/** Clears a text of a profile that the caller has locked; open forms with that text become stale. @returns whether it had any text */
export async function clearText(trx: Executor, userId: number, part: TextPart): Promise<boolean> {
	const { empty, filled, version } = columns[part]
	const { rows } = await sql`
		update profiles set ${empty}, ${version} = ${version} + 1
		where user_id = ${userId} and ${filled} returning 1`.execute(trx)
	return rows.length > 0
}

/** Removes the picture, visible or hidden, of a profile that the caller has locked. @returns whether there was one */
export async function clearPicture(trx: Executor, userId: number): Promise<boolean> {
	const hidden = await sql`
		update profiles set hidden_image = null where user_id = ${userId} and hidden_image is not null returning 1`.execute(
		trx,
	)
	const shown = await sql`update users set image = null where id = ${userId} and image is not null returning 1`.execute(
		trx,
	)
	return hidden.rows.length + shown.rows.length > 0
}

/** Sets a member's name to their username. @returns whether it was different */
export async function resetName(trx: Executor, userId: number): Promise<boolean> {
	const { rows } =
		await sql`update users set name = username where id = ${userId} and name <> username returning 1`.execute(trx)
	return rows.length > 0
}

/** Raises the version of the personal form, for a change outside its own columns. */
export async function raisePersonalVersion(trx: Executor, userId: number): Promise<void> {
	await sql`update profiles set personal_version = personal_version + 1 where user_id = ${userId}`.execute(trx)
}

/** Whether a moderator hid this member's profile, and why; null if not. */
export async function findHidden(userId: number): Promise<{ reason: string } | null> {
	const { rows } = await sql<{ reason: string }>`
		select hidden_reason as reason from profiles p where user_id = ${userId} and ${isHiddenByModerator}`.execute(db())
	return rows[0] ?? null
}

/** Those of these members whose profile a moderator hid. */
export async function listHidden(userIds: number[]): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select user_id as id from profiles p where user_id = any(${idArray(userIds)}) and ${isHiddenByModerator}`.execute(
		db(),
	)
	return rows.map(({ id }) => id)
}

/** A member, with or without a profile row, and whether a moderator hid it. */
export interface HideableRow {
	id: number
	username: string
	name: string
	/** When the account was created; ISO 8601. */
	created_at: string
	hidden: boolean
	hidden_reason: string
	/** Whether nobody stands behind it: the author of imported texts, or what stands for members who left. */
	imported: boolean
}

/** Members by id, with the data that moderators decide on. */
export async function listHideable(ids: number[]): Promise<HideableRow[]> {
	const { rows } = await sql<HideableRow>`
		select u.id, u.username, u.name, u.imported, coalesce(${isHiddenByModerator}, false) as hidden,
			case when ${isHiddenByModerator} then p.hidden_reason else '' end as hidden_reason,
			${isoSeconds('u.created_at')} as created_at
		from users u left join profiles p on p.user_id = u.id where u.id = any(${ids}::int[]) and u.pseudonym_of is null`.execute(
		db(),
	)
	return rows
}

/** Since when a profile is hidden, with microseconds; null if it is shown. */
export async function findHiddenAt(trx: Executor, userId: number): Promise<string | null> {
	const { rows } = await sql<{ hidden_at: string | null }>`
		select hidden_at::text from profiles where user_id = ${userId}`.execute(trx)
	return rows[0]?.hidden_at ?? null
}
