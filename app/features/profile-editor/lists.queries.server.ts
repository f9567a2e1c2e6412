import { type Generated, sql } from 'kysely'
import type { ItemTable } from '~/features/profiles/profiles.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { ExperienceInput } from './profile.schema.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		experiences: {
			experience_id: Generated<string>
			user_id: number
			kind: 'education' | 'work' | 'volunteer'
			organisation: string
			title: Generated<string>
			degree: Generated<string>
			url: Generated<string>
			starts: string | null
			ends: string | null
			summary: Generated<string>
			position: Generated<number>
			version: Generated<number>
			created_at: Generated<Date>
		}
	}
}

/* Education, work and volunteering; and the order of all lists of a profile. */

/** An entry of this member, with the fields of its form. */
export async function findExperience(
	userId: number,
	id: string,
	executor: Executor = db(),
): Promise<(ExperienceInput & { version: number }) | undefined> {
	const { rows } = await sql<ExperienceInput & { version: number }>`
		select kind, organisation, title, degree, url, starts, ends, summary, version
		from experiences where user_id = ${userId} and experience_id = ${id}::uuid`.execute(executor)
	return rows[0]
}

/** Adds an entry at the end of the member's list. */
export async function insertExperience(trx: Executor, userId: number, input: ExperienceInput): Promise<void> {
	await sql`
		insert into experiences (user_id, kind, organisation, title, degree, url, starts, ends, summary, position)
		select ${userId}, ${input.kind}, ${input.organisation}, ${input.title}, ${input.degree}, ${input.url}, ${input.starts},
			${input.ends}, ${input.summary}, coalesce(max(position) + 1, 0)
		from experiences where user_id = ${userId}`.execute(trx)
}

/** Replaces an entry of this member if the version matches. @returns whether it did */
export async function updateExperience(
	trx: Executor,
	userId: number,
	id: string,
	version: number,
	input: ExperienceInput,
): Promise<boolean> {
	const { rows } = await sql`
		update experiences set version = version + 1, kind = ${input.kind}, organisation = ${input.organisation},
			title = ${input.title}, degree = ${input.degree}, url = ${input.url}, starts = ${input.starts}, ends = ${input.ends},
			summary = ${input.summary}
		where user_id = ${userId} and experience_id = ${id}::uuid and version = ${version} returning 1`.execute(trx)
	return rows.length > 0
}

/** The version of the order of a member's lists; 1 without a profile. */
export async function readOrderVersion(userId: number): Promise<number> {
	const { rows } = await sql<{ version: number }>`
		select order_version as version from profiles where user_id = ${userId}`.execute(db())
	return rows[0]?.version ?? 1
}

/** Raises the version of the order if it matches, and locks the profile. @returns whether it did */
export async function raiseOrderVersion(trx: Executor, userId: number, version: number): Promise<boolean> {
	const { rows } = await sql`
		update profiles set order_version = order_version + 1
		where user_id = ${userId} and order_version = ${version} returning 1`.execute(trx)
	return rows.length > 0
}

const columns = {
	projects: { id: sql.ref('project_id'), part: sql`(not pinned)::int`, title: sql`project_title` },
	certificates: { id: sql.ref('certificate_id'), part: sql`(not pinned)::int`, title: sql`certificate_title` },
	experiences: {
		id: sql.ref('experience_id'),
		part: sql`array_position('{education,work,volunteer}', kind)`,
		title: sql`organisation`,
	},
}

export interface PositionedItem {
	id: string
	title: string
	/** Items cannot move between parts, such as pinned and other ones. */
	part: number
}

/** The items of one of a member's lists in their order. */
export async function listPositions(trx: Executor, table: ItemTable, userId: number): Promise<PositionedItem[]> {
	const { id, part, title } = columns[table]
	const { rows } = await sql<PositionedItem>`
		select ${id} as id, ${title} as title, ${part} as part from ${sql.table(table)}
		where user_id = ${userId} order by ${part}, position, ${id}`.execute(trx)
	return rows
}

/** Sets the order of a list to that of `ids`. */
export async function writePositions(trx: Executor, table: ItemTable, userId: number, ids: string[]): Promise<void> {
	await sql`
		update ${sql.table(table)} set position = place - 1 from unnest(${ids}::uuid[]) with ordinality as placed (id, place)
		where user_id = ${userId} and ${columns[table].id} = placed.id and position <> place - 1`.execute(trx)
}

/** Pins or unpins an item. */
export async function writePinned(
	trx: Executor,
	table: 'projects' | 'certificates',
	userId: number,
	id: string,
	pinned: boolean,
): Promise<void> {
	await sql`
		update ${sql.table(table)} set pinned = ${pinned}
		where user_id = ${userId} and ${columns[table].id} = ${id}::uuid`.execute(trx)
}
