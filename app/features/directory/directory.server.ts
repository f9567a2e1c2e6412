import { campusOf } from '~/features/profiles/campus.present.ts'
import { decodeTimeCursor, encodeCursor } from '~/lib/cursors.ts'
import { webUrl } from '~/lib/text.ts'
import type { MembersPage, MemberView, SkillView } from './directory.present.ts'
import {
	listMemberRows,
	listOnlineRows,
	listSkillRows,
	type MemberRow,
	readMemberCount,
} from './directory.queries.server.ts'

/**
 * One page of the community, newest members first. Authors of imported questions are no members.
 * @param cursor where the page before ended
 * @param limit at most 50
 * @throws Invalid for a cursor that is not ours
 */
export async function listMembers({
	cursor,
	limit = 20,
}: {
	cursor?: string | null
	limit?: number
}): Promise<MembersPage> {
	const most = Math.min(limit, 50)
	const rows = await listMemberRows(cursor ? decodeTimeCursor(cursor) : null, most + 1)
	const shown = rows.slice(0, most)
	const last = shown.at(-1)
	return {
		rows: shown.map(presentMember),
		next: rows.length > most && last ? encodeCursor([last.created_at, last.id]) : null,
	}
}

/** Members who are online, the latest first. */
export async function listOnline(limit: number): Promise<MemberView[]> {
	const rows = await listOnlineRows(limit)
	return rows.map(presentMember)
}

/** The skills that most members have. */
export async function listSkills(limit: number): Promise<SkillView[]> {
	const rows = await listSkillRows(limit)
	return rows.map((row) => ({ name: row.name, count: row.member_count }))
}

/** How many members the site has. */
export const countMembers = readMemberCount

function presentMember(row: MemberRow): MemberView {
	return {
		username: row.username,
		name: row.name,
		image: row.image,
		online: row.online,
		studies: { branch: row.enrol_in_branch_name, year: row.current_year, semester: row.current_semester },
		university: row.university_name,
		campus: campusOf(row),
		about: row.about,
		expertise: row.expertise_in,
		skills: row.skills,
		openTo: row.open_to,
		github: webUrl(row.github),
		linkedin: webUrl(row.linkedin),
	}
}
