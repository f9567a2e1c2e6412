import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

export interface FirstStepsRow {
	dismissed: boolean
	/** A picture that a moderator hides is one all the same. */
	has_picture: boolean
	skill_count: number
	has_studies: boolean
}

/** What a member has of the first steps. */
export async function findFirstSteps(userId: number): Promise<FirstStepsRow | undefined> {
	const { rows } = await sql<FirstStepsRow>`
		select coalesce(first_steps_dismissed, false) as dismissed,
			coalesce(users.image, hidden_image, '') <> '' as has_picture,
			(select count(*)::int from profile_skills where profile_skills.user_id = users.id) as skill_count,
			coalesce(university_name <> '' and enrol_in_branch_name <> '', false) as has_studies
		from users left join profiles on profiles.user_id = users.id where users.id = ${userId}`.execute(db())
	return rows[0]
}

/** Notes that a member put the first steps away. */
export async function dismissFirstSteps(userId: number): Promise<void> {
	await sql`
		insert into profiles (user_id, first_steps_dismissed) values (${userId}, true)
		on conflict (user_id) do update set first_steps_dismissed = true`.execute(db())
}
