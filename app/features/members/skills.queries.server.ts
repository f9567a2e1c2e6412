import { sql } from 'kysely'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

export interface SkillRow {
	name: string
	name_key: string
	member_count: number
}

/** Skills whose name begins with `prefix` (lower case), the commonest first, and those of `keys` whatever they begin with. */
export async function listSkillsLike(prefix: string, keys: string[], limit: number): Promise<SkillRow[]> {
	const pattern = `${prefix.replace(/[\\%_]/g, '\\$&')}%`
	const { rows } = await sql<SkillRow>`
		(select name, name_key, member_count from skills where name_key like ${pattern}
			order by member_count desc, name_key limit ${limit})
		union (select name, name_key, member_count from skills where name_key = any(${keys}))`.execute(db())
	return rows
}

/** How these skills (lower case) are spelt here already. */
export async function listSpellings(trx: Executor, keys: string[]): Promise<Map<string, string>> {
	const { rows } = await sql<SkillRow>`select name, name_key from skills where name_key = any(${keys})`.execute(trx)
	return new Map(rows.map(({ name, name_key }) => [name_key, name]))
}

/** How many members have a skill. */
export const skillCounter: Counter = {
	table: 'skills',
	column: 'member_count',
	key: 'name_key',
	actual: sql`(select count(*) from profile_skills s where s.skill_id = t.id)`,
}

/**
 * Makes these the skills of a member, in this order, and updates how many members have each. The member's profile row is
 * locked by the caller; skills are locked in the order of their keys, so that two members never wait for each other.
 */
export async function replaceSkills(trx: Executor, userId: number, names: string[]): Promise<void> {
	const keys = names.map((name) => name.toLowerCase())
	await sql`
		insert into skills (name, name_key)
		select * from unnest(${names}::text[], ${keys}::text[]) as given (name, name_key) order by name_key
		on conflict (name_key) do nothing`.execute(trx)
	await sql`
		select 1 from skills
		where name_key = any(${keys}) or id in (select skill_id from profile_skills where user_id = ${userId})
		order by name_key for update`.execute(trx)
	await sql`
		with wanted as (
			select skills.id, given.position from unnest(${keys}::text[]) with ordinality as given (name_key, position)
			join skills using (name_key)
		), gone as (
			delete from profile_skills where user_id = ${userId} and skill_id not in (select id from wanted) returning skill_id
		), had as (
			select skill_id from profile_skills where user_id = ${userId}
		), linked as (
			insert into profile_skills (user_id, skill_id, position) select ${userId}, id, position - 1 from wanted
			on conflict (user_id, skill_id) do update set position = excluded.position
		)
		update skills set member_count = member_count + change.by
		from (
			select id, 1 as by from wanted where id not in (select skill_id from had)
			union all select skill_id, -1 from gone
		) as change
		where skills.id = change.id`.execute(trx)
}

/** The names of the skills that two members share, in the order in which the second one gave them. */
export async function listShared(userId: number, peerId: number): Promise<string[]> {
	const { rows } = await sql<{ name: string }>`
		select skills.name from shown_skills theirs
		join profile_skills mine on mine.skill_id = theirs.skill_id and mine.user_id = ${userId}
		join skills on skills.id = theirs.skill_id
		where theirs.user_id = ${peerId} order by theirs.position`.execute(db())
	return rows.map(({ name }) => name)
}
