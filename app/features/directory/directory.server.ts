import { campusOf } from '~/features/campus/campus.view.ts'
import { getFirstSteps } from '~/features/profiles/profiles.server.ts'
import { webUrl } from '~/lib/links.ts'
import { truncateWords } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import type { ResolvedCriteria } from './criteria.server.ts'
import {
	type Criteria,
	communityPath,
	criteriaQuery,
	isSaveable,
	MEMBERS_PER_PAGE,
	NO_CRITERIA,
	nameOfCriteria,
} from './directory.paths.ts'
import {
	isPresencePending,
	type ListedMemberRow,
	listNewestRows,
	listOnlineRows,
	listSkillRows,
	MAX_ABOUT_LENGTH,
} from './directory.queries.server.ts'
import type { CommunityData, MemberView, RemovableFilter, SkillView } from './directory.view.ts'
import { countSets, countsOf, presentFilters } from './filters.server.ts'
import { everyMatch, type FoundMembers, findMembers, isPartial, quoteSearch } from './finding.server.ts'
import { reasonsOf } from './reasons.server.ts'

/**
 * One page of the community: the members who match the criteria, how many there are, and the filters.
 * @param cursor where the previous page ended
 * @param viewer members who block the viewer look offline, and what visitors do not see finds nobody for them
 * @throws Invalid for a cursor of another list
 */
export async function listCommunity(
	criteria: Criteria,
	cursor: string | null = null,
	viewer: Viewer = null,
): Promise<CommunityData> {
	const isWhole = cursor === null && communityPath(criteria) === communityPath(NO_CRITERIA)
	const [found, firstSteps, arriving] = await Promise.all([
		findMembers(criteria, viewer, cursor, MEMBERS_PER_PAGE, { counts: true }),
		isWhole ? getFirstSteps(viewer) : null,
		isWhole ? countArriving(viewer) : 0,
	])
	const { meaning } = found
	const isEmpty = found.rows.length === 0 && cursor === null
	const [rows, counts] = await Promise.all([presentFound(found), countsOf(found)])
	return {
		criteria: meaning.criteria,
		typed: meaning.typed.map(({ label, without }) => ({ label, href: communityPath(without) })),
		asWords:
			meaning.typed.length > 0 && meaning.reading !== 'apart'
				? communityPath({ ...criteria, q: quoteSearch(criteria.q) })
				: null,
		isLoose: isPartial(meaning),
		page: { rows, next: found.next },
		saveable: isSaveable(criteria)
			? { kind: 'people', query: criteriaQuery(criteria), name: nameOfCriteria(criteria) }
			: null,
		cursor,
		count: counts.people,
		filters: presentFilters(meaning, counts, arriving),
		loosen: isEmpty ? await loosen(meaning) : null,
		firstSteps,
	}
}

/** Found members, with the reasons why they were found. */
export async function presentFound({ meaning, rows }: FoundMembers): Promise<MemberView[]> {
	const why = await reasonsOf(meaning, rows)
	return rows.map((row, index) => ({ ...presentMember(row), ...why[index] }))
}

/** The filter whose removal yields the most people. */
async function loosen(meaning: ResolvedCriteria): Promise<RemovableFilter | null> {
	const { filters, criteria } = meaning
	if (filters.length + (criteria.q ? 1 : 0) < 2) return null
	const sets = filters.map((filter) => everyMatch({ ...meaning, filters: filters.filter((other) => other !== filter) }))
	const counts = await countSets(meaning, sets)
	const options = filters.map((filter, index) => ({ filter, count: counts[index]?.people }))
	const best = options.toSorted((one, other) => (other.count?.number ?? 0) - (one.count?.number ?? 0))[0]
	if (!best?.count?.number) return null
	return { label: best.filter.label, href: communityPath(best.filter.without), count: best.count }
}

/** The newest members, for this viewer. */
export async function listNewest(viewer: Viewer, limit: number): Promise<MemberView[]> {
	const rows = await listNewestRows(viewer?.id ?? null, limit)
	return rows.map(presentMember)
}

/** Members whom this viewer sees online, the latest first. */
export async function listOnline(viewer: Viewer, limit: number): Promise<MemberView[]> {
	const rows = await listOnlineRows(viewer?.id ?? null, limit)
	return rows.map(presentMember)
}

/**
 * How many members are about to be online: 1 when the viewer's first page is rendered before their tab is stored, so that its
 * numbers agree with their own presence dot, else 0.
 */
async function countArriving(viewer: Viewer): Promise<number> {
	return viewer && (await isPresencePending(viewer.id)) ? 1 : 0
}

/** The commonest skills. */
export async function listSkills(limit: number): Promise<SkillView[]> {
	const rows = await listSkillRows(limit)
	return rows.map((row) => ({ name: row.name, count: row.member_count }))
}

/** The view of a member's row. */
function presentMember(row: ListedMemberRow): MemberView {
	return {
		username: row.username,
		name: row.name,
		image: row.image,
		online: row.online,
		studies: { branch: row.enrol_in_branch_name, year: row.current_year, semester: row.current_semester },
		university: row.university_name,
		campus: campusOf(row),
		about: truncateWords(row.about, MAX_ABOUT_LENGTH),
		expertise: row.expertise_in,
		skills: row.skills,
		openTo: row.open_to,
		github: webUrl(row.github),
		linkedin: webUrl(row.linkedin),
	}
}
