import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type GeneratedMember, seedDomain } from './people.ts'

/** Whether anybody can log in to this site. */
export async function hasAccounts(): Promise<boolean> {
	const { rows } = await sql<{ found: boolean }>`select exists (select from credentials) as found`.execute(db())
	return rows[0]?.found ?? false
}

/** The number of generated members. */
export async function countSeeded(): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from users where email like ${`%@${seedDomain}`}`.execute(db())
	return rows[0]?.count ?? 0
}

/**
 * Inserts members with all of their rows, table by table. The caller must index them for the search.
 * @returns their ids, and the number of rows
 */
export async function insertPeople(trx: Executor, people: GeneratedMember[]): Promise<{ ids: number[]; rows: number }> {
	const { rows: users } = await sql<{ id: number; username: string }>`
		with named as (insert into usernames (username) select value->>'username' from json_array_elements(${json(people)}) value)
		insert into users (username, name, email, email_verified, created_at)
			select username, name, email, true, created_at
			from json_to_recordset(${json(people)}) as person (username text, name text, email text, created_at timestamptz)
		returning id, username`.execute(trx)
	const ids = new Map(users.map(({ id, username }) => [username, id]))
	const owned = people.map((person) => ({ ...person, user_id: ids.get(person.username) ?? 0 }))
	await sql`
		insert into profiles (user_id, phone, city, expertise_in, about, open_to, university_name, location, enrol_in_branch_name,
			year_of_passing, current_semester, current_year, github, linkedin, listed, show_presence, last_seen_at)
		select user_id, phone, city, expertise_in, about, open_to, university_name, location, enrol_in_branch_name,
			year_of_passing, current_semester, current_year, github, linkedin, listed, show_presence, last_seen_at
		from json_populate_recordset(null::profiles, ${json(owned.map(({ user_id, profile }) => ({ user_id, ...profile })))})`.execute(
		trx,
	)
	const skills = owned.flatMap((person) =>
		person.skills.map((name, position) => ({ user_id: person.user_id, name, position })),
	)
	await insertSkills(trx, skills)
	const projects = owned.flatMap((person) =>
		person.projects.map((project, position) => ({ ...project, user_id: person.user_id, position })),
	)
	await sql`
		insert into projects (user_id, project_title, project_description, project_tech_stack, project_date, position)
		select user_id, project_title, project_description, project_tech_stack, project_date, position
		from json_to_recordset(${json(projects)}) as project (user_id int, project_title text, project_description text,
			project_tech_stack text[], project_date date, position smallint)`.execute(trx)
	const certificates = owned.flatMap((person) =>
		person.certificates.map((certificate, position) => ({ ...certificate, user_id: person.user_id, position })),
	)
	await sql`
		insert into certificates (user_id, certificate_title, certificate_issue_date, position)
		select user_id, certificate_title, certificate_issue_date, position
		from json_to_recordset(${json(certificates)}) as certificate (user_id int, certificate_title text,
			certificate_issue_date date, position smallint)`.execute(trx)
	await sql`update counters set value = value + ${people.length} where name = 'members'`.execute(trx)
	return { ids: [...ids.values()], rows: people.length * 3 + skills.length + projects.length + certificates.length }
}

const MEMBER_TABLES = [
	'users',
	'profiles',
	'skills',
	'profile_skills',
	'projects',
	'certificates',
	'skill_evidence',
	'skill_strengths',
	'terms',
	'member_search',
]

/** Updates the statistics: after a bulk load the planner would still assume an empty community. */
export async function analyzeMemberTables(): Promise<void> {
	for (const table of MEMBER_TABLES) await sql`vacuum (analyze) ${sql.id(table)}`.execute(db())
}

async function insertSkills(trx: Executor, skills: { user_id: number; name: string; position: number }[]) {
	await sql`
		insert into skills (name, name_key) select distinct name, lower(name)
		from json_to_recordset(${json(skills)}) as skill (name text) order by 2 on conflict do nothing`.execute(trx)
	await sql`
		with linked as (
			insert into profile_skills (user_id, skill_id, position)
			select user_id, skills.id, position from json_to_recordset(${json(skills)}) as skill (user_id int, name text, position smallint)
			join skills on name_key = lower(skill.name) returning skill_id),
		counted as (select skill_id, count(*) as count from linked group by skill_id)
		update skills set member_count = member_count + counted.count from counted where skills.id = counted.skill_id`.execute(
		trx,
	)
}

function json(value: unknown): string {
	return JSON.stringify(value)
}

/**
 * Makes the triggers of migrations/0007_directory.sql skip this transaction; the caller must call {@link indexMembers}. Only for bulk
 * loads: other writes of users, profiles, profile_skills and connections are indexed at their commit.
 */
export async function skipIndexTriggers(trx: Executor): Promise<void> {
	await sql`select set_config('devquad.bulk', 'on', true)`.execute(trx)
}

/** Updates the search documents, the counters and the evidence of these members. */
export async function indexMembers(trx: Executor, userIds: number[]): Promise<void> {
	await sql`select index_members(${userIds}::integer[])`.execute(trx)
	await sql`select refresh_evidence(${userIds}::integer[])`.execute(trx)
}
