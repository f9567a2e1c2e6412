import { type RawBuilder, sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isConnected } from '~/platform/realtime/presence.queries.server.ts'
import { isBlocking } from './blocks.queries.server.ts'

/** An SQL expression for `from`: a view with the columns of `profiles`, as this viewer sees them. @param viewerId null for a visitor */
export function profilesFor(viewerId: number | null): RawBuilder<unknown> {
	return viewerId === null ? sql`public_profiles` : sql`shown_profiles`
}

/** An SQL expression: the skills that a user of `users` shows to this viewer, in the member's order. @param viewerId null for a visitor */
export function skillNames(viewerId: number | null): RawBuilder<string[]> {
	return sql<string[]>`array(
		select skills.name from ${viewerId === null ? sql`public_skills` : sql`shown_skills`} shown join skills on skills.id = shown.skill_id
		where shown.user_id = users.id order by shown.position)`
}

/** As {@link skillNames}, but all of them: for the owner and for moderators. */
export const allSkillNames = sql<string[]>`array(
	select skills.name from profile_skills join skills on skills.id = profile_skills.skill_id
	where profile_skills.user_id = users.id order by profile_skills.position)`

/** An SQL condition: whether this viewer sees that a user of `users` is online. @param viewerId null for a visitor */
export function isOnlineTo(viewerId: number | null): RawBuilder<boolean> {
	return sql<boolean>`(exists (select 1 from connections where connections.user_id = users.id and ${isConnected})
		and not ${isBlocking(sql.ref('users.id'), viewerId)})`
}

/**
 * An SQL condition: whether a user of `users` may be shown in lists, searches, suggestions and counts. This is the only rule: the user has
 * a row in `member_search`, which triggers derive from the member's choices.
 */
export const isListed = sql<boolean>`exists (select from member_search where member_search.user_id = users.id)`

/** The id of the account with this username; undefined for a former or unknown name. */
export async function findUserId(username: string): Promise<number | undefined> {
	const user = await db().selectFrom('users').select('id').where('username', '=', username).executeTakeFirst()
	return user?.id
}

export interface IntroductionRow {
	branch: string
	current_year: number | null
	skills: string[]
	listed: boolean
	imported: boolean
}

/** The public data of a member for a single line, with at most this many skills. */
export async function findIntroduction(username: string, maxSkills: number): Promise<IntroductionRow | undefined> {
	const { rows } = await sql<IntroductionRow>`
		select coalesce(enrol_in_branch_name, '') as branch, current_year, ${isListed} as listed, users.imported,
			(${skillNames(null)})[1:${maxSkills}::int] as skills
		from users left join public_profiles profiles on profiles.user_id = users.id where users.username = ${username}`.execute(
		db(),
	)
	return rows[0]
}

/** A member's studies, as shown to other members. */
export interface StudiesRow {
	enrol_in_branch_name: string
	current_year: number | null
	current_semester: number | null
	university_name: string
	campus_name: string
	campus_verified_at: Date | null
}

/** A member's studies, as other members see them; undefined without a profile. */
export async function findStudies(userId: number): Promise<StudiesRow | undefined> {
	const { rows } = await sql<StudiesRow>`
		select enrol_in_branch_name, current_year, current_semester, university_name, campus_name, campus_verified_at
		from shown_profiles where user_id = ${userId}`.execute(db())
	return rows[0]
}

export interface MailedMember {
	id: number
	name: string
	username: string
	email: string
}

/** The admins who are neither leaving nor logged out by the university, and this member. @param userId null for none */
export async function listMailedAdmins(trx: Executor, userId: number | null): Promise<MailedMember[]> {
	const { rows } = await sql<MailedMember>`
		select id, name, username, email from users
		where (role = 'admin' and not imported and leaves_at is null and absent_since is null) or id = ${userId} order by id`.execute(
		trx,
	)
	return rows
}
