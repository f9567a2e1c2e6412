import { type RawBuilder, sql } from 'kysely'
import { db } from '~/db/db.server.ts'
import { isOnline, skillNames } from '~/features/profiles/profiles.queries.server.ts'
import type { TimeCursor } from '~/lib/cursors.ts'
import { isConnected } from '~/realtime/presence.queries.server.ts'

export interface MemberRow {
	id: number
	username: string
	name: string
	image: string | null
	/** ISO 8601 with microseconds, so that a cursor loses nothing. */
	created_at: string
	online: boolean
	skills: string[]
	university_name: string
	enrol_in_branch_name: string
	current_year: number | null
	current_semester: number | null
	about: string
	expertise_in: string
	open_to: ('mentoring' | 'collaborating')[]
	github: string
	linkedin: string
	campus_name: string
	campus_verified_at: Date | null
}

const columns = sql`
	users.id, users.username, users.name, users.image,
	to_char(users.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
	${isOnline} as online, ${skillNames} as skills, coalesce(university_name, '') as university_name,
	coalesce(enrol_in_branch_name, '') as enrol_in_branch_name, current_year, current_semester,
	left(coalesce(about, ''), 400) as about, coalesce(expertise_in, '') as expertise_in, coalesce(open_to, '{}') as open_to,
	coalesce(github, '') as github, coalesce(linkedin, '') as linkedin,
	coalesce(campus_name, '') as campus_name, campus_verified_at`

/** One page of members, newest first: one range of users_newest, then their rows by key. */
export async function listMemberRows(cursor: TimeCursor | null, limit: number): Promise<MemberRow[]> {
	const before = cursor ? sql`and (users.created_at, users.id) < (${cursor.at}::timestamptz, ${cursor.id})` : sql``
	return read(sql`
		select ${columns} from users left join profiles on profiles.user_id = users.id
		where not users.imported ${before} order by users.created_at desc, users.id desc limit ${limit}`)
}

/** Members with an open tab, the latest to show themselves first. Bounded by who is online, not by who is a member. */
export async function listOnlineRows(limit: number): Promise<MemberRow[]> {
	return read(sql`
		select ${columns} from users left join profiles on profiles.user_id = users.id
		join (select user_id, max(seen_at) as seen_at from connections where ${isConnected} group by user_id) tabs on tabs.user_id = users.id
		order by tabs.seen_at desc, users.id desc limit ${limit}`)
}

/** The skills most members have. */
export function listSkillRows(limit: number): Promise<{ name: string; member_count: number }[]> {
	return db()
		.selectFrom('skills')
		.select(['name', 'member_count'])
		.where('member_count', '>', 0)
		.orderBy('member_count', 'desc')
		.orderBy('name_key')
		.limit(limit)
		.execute()
}

/** How many members there are, from the counter that each registration keeps. */
export async function readMemberCount(): Promise<number> {
	const counter = await db().selectFrom('counters').select('value').where('name', '=', 'members').executeTakeFirst()
	return Number(counter?.value ?? 0)
}

async function read(statement: RawBuilder<unknown>): Promise<MemberRow[]> {
	const { rows } = await (statement as RawBuilder<MemberRow>).execute(db())
	return rows
}
