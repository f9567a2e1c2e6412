import { sql } from 'kysely'
import { allSkillNames } from '~/features/members/members.queries.server.ts'
import { siteDay } from '~/lib/calendar.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { AudienceField, Section } from './profile.limits.ts'
import type { AcademicsInput, PersonalInput, SocialInput } from './profile.schema.ts'

export interface EditableRow extends AcademicsInput, SocialInput {
	username: string
	name: string
	email: string
	image: string | null
	skills: string[]
	phone: string
	city: string
	expertise_in: string
	about: string
	open_to: PersonalInput['open_to']
	show_email: boolean
	show_phone: boolean
	listed: boolean
	show_presence: boolean
	open_until: string | null
	pronouns: string
	status_line: string
	status_until: string | null
	about_html: string | null
	public_page: boolean
	noindex: boolean
	only_me: Section[]
	public_sections: Section[]
	personal_version: number
	academics_version: number
	social_version: number
}

/** The data of the three forms of single fields. */
export async function findEditable(userId: number, executor: Executor = db()): Promise<EditableRow | undefined> {
	const { rows } = await sql<EditableRow>`
		select users.username, users.name, users.email, coalesce(users.image, hidden_image) as image, ${allSkillNames} as skills,
			phone, city, expertise_in, about, open_to, show_email, show_phone, listed, show_presence, only_me, public_sections,
			public_page, noindex, pronouns, open_until::text as open_until, status_line, status_until::text as status_until, about_html,
			personal_version,
			university_name, location, enrol_in_branch_name, year_of_passing, current_semester, current_year,
			enrolment_number, university_email, academics_version,
			github, linkedin, leetcode, portfolio, hackerrank, codechef, geeksforgeek, social_version
		from users join profiles on profiles.user_id = users.id where users.id = ${userId}`.execute(executor)
	return rows[0]
}

/** Whether a picture belongs to the member and is of this kind; if so, locks it until the transaction ends. */
export async function ownsPicture(
	trx: Executor,
	userId: number,
	kind: 'profile' | 'certificate' | 'project',
	path: string,
): Promise<boolean> {
	const row = await trx
		.selectFrom('pictures')
		.select('path')
		.where('path', '=', path)
		.where('user_id', '=', userId)
		.where('kind', '=', kind)
		.forKeyShare()
		.executeTakeFirst()
	return row !== undefined
}

/** The stored personal details. Without `profile_url` the picture is unchanged. */
export type StoredPersonal = Omit<PersonalInput, AudienceField | 'profile_url'> &
	Partial<Pick<PersonalInput, 'profile_url'>> &
	Pick<EditableRow, 'only_me' | 'public_sections' | 'about_html'>

/** Saves the personal details if the version matches; the picture of a hidden profile stays hidden. @returns whether it matched */
export async function updatePersonal(
	trx: Executor,
	userId: number,
	version: number,
	{ fullName, skills: _skills, profile_url, ...fields }: StoredPersonal,
): Promise<boolean> {
	const hiddenImage = profile_url === undefined ? sql`hidden_image` : sql`${profile_url}::text`
	const { rows } = await sql<{ hidden: boolean }>`
		update profiles set personal_version = personal_version + 1, phone = ${fields.phone}, city = ${fields.city},
			expertise_in = ${fields.expertise_in}, about = ${fields.about}, open_to = ${fields.open_to},
			show_email = ${fields.show_email}, show_phone = ${fields.show_phone}, listed = ${fields.listed},
			show_presence = ${fields.show_presence}, only_me = ${fields.only_me}, public_sections = ${fields.public_sections},
			public_page = ${fields.public_page}, noindex = ${fields.noindex}, pronouns = ${fields.pronouns},
			open_until = ${fields.open_until}::date, status_line = ${fields.status_line}, status_until = ${fields.status_until}::date,
			about_html = ${fields.about_html}, hidden_image = case when hidden_at is not null then ${hiddenImage} end
		where user_id = ${userId} and personal_version = ${version} returning hidden_at is not null as hidden`.execute(trx)
	const [row] = rows
	if (!row) return false
	await trx
		.updateTable('users')
		.set({
			name: fullName,
			...(profile_url !== undefined && { image: row.hidden ? null : profile_url }),
			updated_at: new Date(),
		})
		.where('id', '=', userId)
		.execute()
	return true
}

/** Clears expired openings and statuses. Views omit them as soon as they expire. */
export async function clearExpiredFields(): Promise<void> {
	const today = siteDay(Date.now())
	await sql`
		update profiles set
			open_to = case when open_until < ${today}::date then '{}' else open_to end,
			open_until = case when open_until >= ${today}::date then open_until end,
			status_line = case when status_until < ${today}::date then '' else status_line end,
			status_until = case when status_until >= ${today}::date then status_until end
		where open_until < ${today}::date or status_until < ${today}::date`.execute(db())
}

/** Saves only the profile picture, without changing the version; that of a hidden profile stays hidden. */
export async function updatePicture(trx: Executor, userId: number, path: string | null): Promise<void> {
	const { rows } = await sql<{ hidden: boolean }>`
		update profiles set hidden_image = case when hidden_at is not null then ${path}::text end
		where user_id = ${userId} returning hidden_at is not null as hidden`.execute(trx)
	await trx
		.updateTable('users')
		.set({ image: rows[0]?.hidden ? null : path, updated_at: new Date() })
		.where('id', '=', userId)
		.execute()
}

/**
 * Saves the academics if the version matches. A changed university address loses its confirmation.
 * @returns whether it matched, and the address if it is new and not empty
 */
export async function updateAcademics(
	trx: Executor,
	userId: number,
	version: number,
	input: AcademicsInput,
): Promise<{ saved: boolean; newAddress: string | null }> {
	const { rows } = await sql<{ before: string; after: string }>`
		update profiles set academics_version = profiles.academics_version + 1, university_name = ${input.university_name},
			location = ${input.location}, enrol_in_branch_name = ${input.enrol_in_branch_name},
			year_of_passing = ${input.year_of_passing}, current_semester = ${input.current_semester},
			current_year = ${input.current_year}, enrolment_number = ${input.enrolment_number},
			university_email = ${input.university_email},
			campus_name = case when profiles.university_email = ${input.university_email} then profiles.campus_name else '' end,
			campus_verified_at = case when profiles.university_email = ${input.university_email} then profiles.campus_verified_at end
		from (select university_email from profiles where user_id = ${userId} for update) as old
		where user_id = ${userId} and profiles.academics_version = ${version}
		returning old.university_email as before, profiles.university_email as after`.execute(trx)
	const row = rows[0]
	return { saved: row !== undefined, newAddress: row && row.before !== row.after ? row.after || null : null }
}

/** Saves the social links if the version matches. @returns whether it did */
export async function updateSocial(
	trx: Executor,
	userId: number,
	version: number,
	input: SocialInput,
): Promise<boolean> {
	const { rows } = await sql`
		update profiles set social_version = social_version + 1, github = ${input.github}, linkedin = ${input.linkedin},
			leetcode = ${input.leetcode}, portfolio = ${input.portfolio}, hackerrank = ${input.hackerrank},
			codechef = ${input.codechef}, geeksforgeek = ${input.geeksforgeek}
		where user_id = ${userId} and social_version = ${version} returning user_id`.execute(trx)
	return rows.length > 0
}
