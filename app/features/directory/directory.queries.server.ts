import { type RawBuilder, sql } from 'kysely'
import { isBlocking } from '~/features/members/blocks.queries.server.ts'
import { isListed, isOnlineTo, profilesFor, skillNames } from '~/features/members/members.queries.server.ts'
import type { Opening } from '~/features/members/self.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { db } from '~/platform/db/db.server.ts'
import { isConnected } from '~/platform/realtime/presence.queries.server.ts'

export interface ListedMemberRow {
	id: number
	username: string
	name: string
	image: string | null
	online: boolean
	skills: string[]
	university_name: string
	enrol_in_branch_name: string
	current_year: number | null
	current_semester: number | null
	about: string
	expertise_in: string
	open_to: Opening[]
	github: string
	linkedin: string
	campus_name: string
	campus_verified_at: Date | null
}

/** Characters of “About” in a list: more than three lines of a card, except on a tablet. A longer text is cut to one character more. */
export const MAX_ABOUT_LENGTH = 300

/**
 * The columns of {@link ListedMemberRow} for this viewer, in a statement that has `users` and, as `profiles`, {@link profilesFor}
 * the same viewer. @param viewerId null for a visitor
 */
export const memberColumns = (viewerId: number | null) => sql`
	users.id, users.username, users.name, users.image,
	${isOnlineTo(viewerId)} as online, coalesce(university_name, '') as university_name,
	coalesce(enrol_in_branch_name, '') as enrol_in_branch_name, current_year, current_semester,
	left(coalesce(about_text, ''), ${sql.lit(MAX_ABOUT_LENGTH + 1)}) as about, coalesce(expertise_in, '') as expertise_in, coalesce(open_to, '{}') as open_to,
	coalesce(github, '') as github, coalesce(linkedin, '') as linkedin,
	coalesce(campus_name, '') as campus_name, campus_verified_at, ${skillNames(viewerId)} as skills`

/**
 * Listed members with an open tab that this viewer may know about, the latest first. The cost depends on who is online, not on the
 * number of members.
 * @param limit a constant, as each value has a plan of its own
 */
export async function listOnlineRows(viewerId: number | null, limit: number): Promise<ListedMemberRow[]> {
	return read(sql<ListedMemberRow>`
		select ${memberColumns(viewerId)}
		from member_search join users on users.id = user_id left join ${profilesFor(viewerId)} profiles using (user_id)
		join (select user_id, max(seen_at) as seen_at from connections where ${isConnected} group by user_id) tabs using (user_id)
		where not ${isBlocking(sql.ref('users.id'), viewerId)}
		order by tabs.seen_at desc, users.id desc limit ${sql.lit(limit)}`)
}

/** Texts of a profile that a search may match, and that lists do not show. */
export interface FoundTextsRow {
	id: number
	about: string
	city: string
	location: string
	projects: { title: string; stack: string[]; description: string }[]
	certificates: string[]
	experiences: {
		kind: 'education' | 'work' | 'volunteer'
		organisation: string
		title: string
		degree: string
		summary: string
		ended: boolean
	}[]
}

/** The longer texts of these members, as this viewer sees them. */
export async function listFoundTexts(ids: number[], viewerId: number | null): Promise<FoundTextsRow[]> {
	const of = (items: string) => sql.table(`${viewerId === null ? 'public' : 'shown'}_${items}`)
	const { rows } = await sql<FoundTextsRow>`
		select user_id as id, about_text as about, city, location,
			(select coalesce(json_agg(json_build_object('title', project_title, 'stack', project_tech_stack,
				'description', project_description) order by position), '[]')
				from ${of('projects')} shown where shown.user_id = profiles.user_id) as projects,
			array(select certificate_title from ${of('certificates')} shown
				where shown.user_id = profiles.user_id order by position) as certificates,
			(select coalesce(json_agg(json_build_object('kind', kind, 'organisation', organisation, 'title', shown.title,
				'degree', degree, 'summary', summary, 'ended', ends < left(${siteDay(Date.now())}, length(ends))) order by position), '[]')
				from ${of('experiences')} shown where shown.user_id = profiles.user_id) as experiences
		from ${profilesFor(viewerId)} profiles where user_id = any(${ids}::int[])`.execute(db())
	return rows
}

/**
 * The newest listed members.
 * @param limit a constant. As a parameter, PostgreSQL would plan the statement each time, which takes ten times as long as running it
 */
export function listNewestRows(viewerId: number | null, limit: number): Promise<ListedMemberRow[]> {
	return read(sql<ListedMemberRow>`
		select ${memberColumns(viewerId)}
		from member_search join users on users.id = user_id left join ${profilesFor(viewerId)} profiles using (user_id)
		order by member_search.user_id desc limit ${sql.lit(limit)}`)
}

/** The usernames of listed members who joined after this one, at most 100; none for a name that nobody listed has. */
export async function listJoinedAfter(username: string): Promise<string[]> {
	const { rows } = await sql<{ username: string }>`
		select users.username from member_search join users on users.id = user_id
		where user_id > (select id from users where username = ${username} and ${isListed})
		order by user_id limit 100`.execute(db())
	return rows.map((row) => row.username)
}

/** The commonest skills of listed members, among those that they show to everybody. */
export async function listSkillRows(limit: number): Promise<{ name: string; member_count: number }[]> {
	const rows = await db()
		.selectFrom('terms')
		.select(['label', 'public_members as members'])
		.where('kind', '=', 'skill')
		.where('public_members', '>', 0)
		.orderBy('public_members', 'desc')
		.orderBy('id')
		.limit(limit)
		.execute()
	return rows.map(({ label, members }) => ({ name: label, member_count: members }))
}

async function read(statement: RawBuilder<ListedMemberRow>): Promise<ListedMemberRow[]> {
	const { rows } = await statement.execute(db())
	return rows
}

/** Whether a listed member shows their presence, and none of their tabs is stored yet. */
export const isArriving = (userId: number) => sql<boolean>`
	exists (select from member_search left join shown_profiles using (user_id)
		where user_id = ${userId} and coalesce(show_presence, true)
			and not exists (select from connections where connections.user_id = member_search.user_id and ${isConnected}))`

/** {@link isArriving}, by a statement of its own. */
export async function isPresencePending(userId: number): Promise<boolean> {
	const { rows } = await sql<{ pending: boolean }>`select ${isArriving(userId)} as pending`.execute(db())
	return rows[0]?.pending ?? false
}
