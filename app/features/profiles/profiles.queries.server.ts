import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import {
	allSkillNames,
	isListed,
	isOnlineTo,
	profilesFor,
	skillNames,
} from '~/features/members/members.queries.server.ts'
import type { Opening } from '~/features/members/self.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

export interface ProfileRow {
	id: number
	username: string
	name: string
	email: string
	image: string | null
	imported: boolean
	/** Whether the account stands for members who have left; it is `imported` too. */
	former: boolean
	created_at: Date
	online: boolean
	/** Null if the member hides it, or was never online. */
	last_seen_at: Date | null
	skills: string[]
	phone: string
	city: string
	expertise_in: string
	about: string
	/** The rendered HTML of `about`; null for a text that is shown as it is. */
	about_html: string | null
	/** Its plain text. */
	about_text: string
	pronouns: string
	status_line: string
	open_to: Opening[]
	/** The last day of their openings, `2026-11-21`; null for no end. */
	open_until: string | null
	university_name: string
	location: string
	enrol_in_branch_name: string
	year_of_passing: number | null
	current_semester: number | null
	current_year: number | null
	enrolment_number: string
	university_email: string
	github: string
	linkedin: string
	leetcode: string
	portfolio: string
	hackerrank: string
	codechef: string
	geeksforgeek: string
	show_email: boolean
	show_phone: boolean
	campus_name: string
	campus_verified_at: Date | null
	listed: boolean
	/** Whether visitors may open the page, and whether search engines are asked not to index it. */
	public_page: boolean
	noindex: boolean
	/** Whether a moderator hid the texts and the picture; the reason is only read for the owner and moderators. */
	hidden: boolean
	hidden_reason: string
}

/**
 * A member with their profile, or undefined. An account without a profile row counts as an empty profile; a pseudonym
 * has none.
 * @param viewerId null for a visitor, who gets what is public
 * @param whole whether to include what others do not see: for the owner and for moderators
 */
export async function findProfile(
	username: string,
	{ viewerId, whole = false }: { viewerId: number | null; whole?: boolean },
): Promise<ProfileRow | undefined> {
	const today = siteDay(Date.now())
	const source = whole
		? sql`(select *, hidden_at is not null as hidden from profiles) profiles`
		: sql`(select *, '' as hidden_reason, null as hidden_image from ${profilesFor(viewerId)}) profiles`
	const { rows } = await sql<ProfileRow>`
		select users.id, users.username, users.name, users.email, coalesce(users.image, hidden_image) as image, users.imported,
			users.former, users.created_at, ${isOnlineTo(viewerId)} as online,
			case when show_presence and not ${isBlocking(sql.ref('users.id'), viewerId)} then last_seen_at end as last_seen_at,
			${whole ? allSkillNames : skillNames(viewerId)} as skills, coalesce(hidden, false) as hidden,
			coalesce(hidden_reason, '') as hidden_reason,
			coalesce(phone, '') as phone, coalesce(city, '') as city, coalesce(expertise_in, '') as expertise_in,
			coalesce(about, '') as about, about_html,
			coalesce(about_text, '') as about_text, coalesce(pronouns, '') as pronouns,
			case when coalesce(status_until >= ${today}::date, true) then coalesce(status_line, '') else '' end as status_line,
			case when coalesce(open_until >= ${today}::date, true) then coalesce(open_to, '{}') else '{}' end as open_to,
			open_until::text as open_until, coalesce(public_page, false) as public_page, coalesce(noindex, false) as noindex,
			coalesce(university_name, '') as university_name, coalesce(location, '') as location,
			coalesce(enrol_in_branch_name, '') as enrol_in_branch_name, year_of_passing, current_semester, current_year,
			coalesce(enrolment_number, '') as enrolment_number, coalesce(university_email, '') as university_email,
			coalesce(github, '') as github, coalesce(linkedin, '') as linkedin, coalesce(leetcode, '') as leetcode,
			coalesce(portfolio, '') as portfolio, coalesce(hackerrank, '') as hackerrank, coalesce(codechef, '') as codechef,
			coalesce(geeksforgeek, '') as geeksforgeek,
			coalesce(show_email, false) as show_email, coalesce(show_phone, false) as show_phone,
			coalesce(campus_name, '') as campus_name, campus_verified_at, ${isListed} as listed
		from users left join ${source} on profiles.user_id = users.id
		where users.username = ${username} and users.pseudonym_of is null`.execute(db())
	return rows[0]
}

/** The picture that a row shows, as a statement selects it. */
export interface ShownPicture {
	image: { path: string; width: number; height: number; colour: string } | null
}

const shownPicture = sql`
	case when pictures.path is not null then json_build_object('path', pictures.path, 'width', pictures.width,
		'height', pictures.height, 'colour', pictures.colour) end as image`

export interface ProjectRow extends ShownPicture {
	project_id: string
	project_title: string
	project_source_code_link: string
	project_deployment_link: string
	project_demo_link: string
	project_tech_stack: string[]
	date: string | null
	project_description: string
	pinned: boolean
}

/** The name under which a member writes in the forum; undefined for a pseudonym and for an unknown name. */
export async function findAuthor(
	username: string,
): Promise<{ username: string; name: string; image: string | null } | undefined> {
	return db()
		.selectFrom('users')
		.select(['username', 'name', 'image'])
		.where('username', '=', username)
		.where('pseudonym_of', 'is', null)
		.executeTakeFirst()
}

/** The reader of a profile; `whole` stands for its owner and moderators. */
export type ProfileReader = 'whole' | 'member' | 'visitor'

/** The views of each {@link ItemTable}, by reader. */
const itemViews = {
	projects: { whole: sql`projects`, member: sql`shown_projects`, visitor: sql`public_projects` },
	certificates: { whole: sql`certificates`, member: sql`shown_certificates`, visitor: sql`public_certificates` },
	experiences: { whole: sql`experiences`, member: sql`shown_experiences`, visitor: sql`public_experiences` },
}

/** The view of a table of items for a reader, for use after `from`. */
export const itemsFor = (table: ItemTable, reading: ProfileReader) => itemViews[table][reading]

/** Items of a list that are read: more than a member can add, as each merge of accounts may add those of another one. */
export const MAX_ITEMS_SHOWN = 500

/** A member's projects in the member's order. */
export async function listProjectRows(userId: number, reading: ProfileReader): Promise<ProjectRow[]> {
	const { rows } = await projectsOf(userId, reading).execute(db())
	return rows
}

function projectsOf(userId: number, reading: ProfileReader) {
	return sql<ProjectRow>`
		select project_id, project_title, ${shownPicture}, project_source_code_link, project_deployment_link, project_demo_link,
			project_tech_stack, project_date::text as date, project_description, pinned
		from ${itemsFor('projects', reading)} projects left join pictures on pictures.path = project_image
		where projects.user_id = ${userId} order by pinned desc, position, project_id limit ${MAX_ITEMS_SHOWN}`
}

export interface CertificateRow extends ShownPicture {
	certificate_id: string
	certificate_title: string
	certificate_url: string
	issued: string | null
	expires: string | null
	credential_verification_link: string
	pinned: boolean
}

/** A member's certificates in the member's order. */
export async function listCertificateRows(userId: number, reading: ProfileReader): Promise<CertificateRow[]> {
	const { rows } = await certificatesOf(userId, reading).execute(db())
	return rows
}

function certificatesOf(userId: number, reading: ProfileReader) {
	return sql<CertificateRow>`
		select certificate_id, certificate_title, certificate_url, ${shownPicture}, certificate_issue_date::text as issued,
			certificate_expire_date::text as expires, credential_verification_link, pinned
		from ${itemsFor('certificates', reading)} certificates left join pictures on pictures.path = certificate_image
		where certificates.user_id = ${userId} order by pinned desc, position, certificate_id limit ${MAX_ITEMS_SHOWN}`
}

/** Earlier education, work or volunteering. */
export interface ExperienceRow {
	id: string
	kind: 'education' | 'work' | 'volunteer'
	organisation: string
	/** The subject studied, or the position. */
	title: string
	degree: string
	url: string
	/** `2024`, `2024-08` or `2024-08-21`; null if unknown. */
	starts: string | null
	/** null if ongoing. */
	ends: string | null
	summary: string
	version: number
}

/** A member's education other than the current one, work and volunteering, in the member's order. */
export async function listExperienceRows(
	userId: number,
	reading: ProfileReader,
	executor: Executor = db(),
): Promise<ExperienceRow[]> {
	const { rows } = await experiencesOf(userId, reading).execute(executor)
	return rows
}

function experiencesOf(userId: number, reading: ProfileReader) {
	return sql<ExperienceRow>`
		select experience_id as id, kind, organisation, title, degree, url, starts, ends, summary, version
		from ${itemsFor('experiences', reading)} items where user_id = ${userId}
		order by array_position('{education,work,volunteer}', kind), position, experience_id limit ${MAX_ITEMS_SHOWN}`
}

/** The lists of a profile. */
export interface ItemRows {
	projects: ProjectRow[]
	certificates: CertificateRow[]
	experiences: ExperienceRow[]
}

/** All lists of a member's page in one statement; each is the same as when it is read separately. */
export async function listItemRows(userId: number, reading: ProfileReader): Promise<ItemRows> {
	const all = (items: RawBuilder<unknown>) => sql`(select coalesce(json_agg(items), '[]') from (${items}) items)`
	const { rows } = await sql<ItemRows>`
		select ${all(projectsOf(userId, reading))} as projects, ${all(certificatesOf(userId, reading))} as certificates,
			${all(experiencesOf(userId, reading))} as experiences`.execute(db())
	return rows[0] ?? { projects: [], certificates: [], experiences: [] }
}

export interface FirstStepsRow {
	dismissed: boolean
	/** A picture that a moderator hid counts, too. */
	has_picture: boolean
	skill_count: number
	has_studies: boolean
}

/** Which of the first steps a member has done. */
export async function findFirstSteps(userId: number): Promise<FirstStepsRow | undefined> {
	const { rows } = await sql<FirstStepsRow>`
		select coalesce(first_steps_dismissed, false) as dismissed,
			coalesce(users.image, hidden_image, '') <> '' as has_picture,
			(select count(*)::int from profile_skills where profile_skills.user_id = users.id) as skill_count,
			coalesce(university_name <> '' and enrol_in_branch_name <> '', false) as has_studies
		from users left join profiles on profiles.user_id = users.id where users.id = ${userId}`.execute(db())
	return rows[0]
}

/** Records that a member dismissed the first steps. */
export async function storeFirstStepsDismissed(userId: number): Promise<void> {
	await sql`
		insert into profiles (user_id, first_steps_dismissed) values (${userId}, true)
		on conflict (user_id) do update set first_steps_dismissed = true`.execute(db())
}

/** Creates an empty profile for an account without one. */
export async function ensureProfile(trx: Executor, userId: number): Promise<void> {
	await trx
		.insertInto('profiles')
		.values({ user_id: userId, year_of_passing: null, current_semester: null, current_year: null })
		.onConflict((conflict) => conflict.doNothing())
		.execute()
}

/**
 * Locks a member's profile before any of it is read or written: first the profile, like its forms, then the account, like
 * adding an item. Whoever changes an item calls it first, as the search index locks the account at the commit.
 */
export async function lockProfile(trx: Executor, userId: number): Promise<void> {
	await sql`select 1 from profiles where user_id = ${userId} for update`.execute(trx)
	await sql`select 1 from users where id = ${userId} for update`.execute(trx)
}

/** The tables of items that members add, change and delete individually. */
export type ItemTable = 'certificates' | 'projects' | 'experiences'

const keyOf = { certificates: 'certificate_id', projects: 'project_id', experiences: 'experience_id' } as const

/** @returns whether this member had such an item */
export async function deleteItem(trx: Executor, table: ItemTable, userId: number, id: string): Promise<boolean> {
	const { rows } = await sql`
		delete from ${sql.table(table)} where user_id = ${userId} and ${sql.ref(keyOf[table])} = ${id}::uuid returning 1`.execute(
		trx,
	)
	return rows.length > 0
}
