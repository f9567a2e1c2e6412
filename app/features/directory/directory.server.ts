import { campusOf } from '~/features/campus/campus.view.ts'
import { shortened, webUrl } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import {
	isUnnoted,
	listNewestRows,
	listOnlineRows,
	listSkillRows,
	MAX_ABOUT_LENGTH,
	type MemberRow,
} from './directory.queries.server.ts'
import type { MemberView, SkillView } from './directory.view.ts'

/** The newest members, as this viewer may see them. */
export async function listNewest(viewer: Viewer, limit: number): Promise<MemberView[]> {
	const rows = await listNewestRows(viewer?.id ?? null, limit)
	return rows.map(presentMember)
}

/** Members who are online and whom this viewer may see so, the latest first. */
export async function listOnline(viewer: Viewer, limit: number): Promise<MemberView[]> {
	const rows = await listOnlineRows(viewer?.id ?? null, limit)
	return rows.map(presentMember)
}

/**
 * How many members are about to be online besides those who are: 1 when the viewer's first page is made before their tab is
 * noted as open, so that its figures agree with their own dot, else 0.
 */
export async function countArriving(viewer: Viewer): Promise<number> {
	return viewer && (await isUnnoted(viewer.id)) ? 1 : 0
}

/** The skills that most members have. */
export async function listSkills(limit: number): Promise<SkillView[]> {
	const rows = await listSkillRows(limit)
	return rows.map((row) => ({ name: row.name, count: row.member_count }))
}

/** A member's row as pages are told of it. */
export function presentMember(row: MemberRow): MemberView {
	return {
		username: row.username,
		name: row.name,
		image: row.image,
		online: row.online,
		studies: { branch: row.enrol_in_branch_name, year: row.current_year, semester: row.current_semester },
		university: row.university_name,
		campus: campusOf(row),
		about: shortened(row.about, MAX_ABOUT_LENGTH),
		expertise: row.expertise_in,
		skills: row.skills,
		openTo: row.open_to,
		github: webUrl(row.github),
		linkedin: webUrl(row.linkedin),
	}
}
