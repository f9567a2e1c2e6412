import { campusOf } from '~/features/campus/campus.view.ts'
import { getFirstSteps } from '~/features/profiles/profiles.server.ts'
import { isId } from '~/lib/checks.ts'
import { shortened, webUrl } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeCursor, encodeCursor, isTimeText, noSuchPlace } from '~/platform/http/cursors.ts'
import { anybody, communityPath, membersPerPage, sortOf, type Wish } from './directory.paths.ts'
import {
	isUnnoted,
	type ListedMemberRow,
	listNewestRows,
	listOnlineRows,
	listSkillRows,
	MAX_ABOUT_LENGTH,
} from './directory.queries.server.ts'
import type { CommunityData, Loosening, MembersPage, MemberView, SkillView } from './directory.view.ts'
import { countSets, countsOf, presentFilters } from './filters.server.ts'
import { everyMatch, isImpossible, type Meaning, meaningOf, tiersOf } from './meaning.server.ts'
import { type FoundRow, findPage, type SearchPosition } from './search.queries.server.ts'
import type { TermKind } from './terms.queries.server.ts'

/**
 * One page of the community: who matches a wish, in its order, how many they are, and what the filters offer.
 * @param cursor where the page before ended
 * @param viewer who looks: those who block them look offline
 * @throws Invalid for a cursor that is not of this list
 */
export async function listCommunity(
	wish: Wish,
	cursor: string | null = null,
	viewer: Viewer = null,
): Promise<CommunityData> {
	const position = cursor ? positionOf(wish, cursor) : null
	const meaning = await meaningOf(wish, viewer)
	const isWhole = cursor === null && communityPath(wish) === communityPath(anybody)
	const [page, counts, firstSteps, arriving] = await Promise.all([
		listPage(viewer, meaning, position, membersPerPage),
		countsOf(meaning),
		isWhole ? getFirstSteps(viewer) : null,
		isWhole ? countArriving(viewer) : 0,
	])
	const isEmpty = page.rows.length === 0 && cursor === null
	return {
		page,
		cursor,
		count: counts.people,
		filters: presentFilters(meaning, counts, arriving),
		loosen: isEmpty ? await loosen(meaning) : null,
		firstSteps,
	}
}

interface ListPosition extends SearchPosition {
	tier: number
}

/** One page of who matches. */
export async function listPage(
	viewer: Viewer,
	meaning: Meaning,
	position: ListPosition | null,
	limit: number,
): Promise<MembersPage> {
	const { wish, total, user } = meaning
	const sort = sortOf(wish)
	const first = sort === 'match' && !position ? user : null
	const tier = Math.max(0, position?.tier ?? 0)
	const tiers = tiersOf(meaning).slice(tier)
	if (tiers.length === 0 && first === null) return { rows: [], next: null }
	const found = await findPage({
		tiers,
		total,
		order: sort === 'active' ? 'seen' : 'joined',
		after: position && position.tier >= 0 ? position : null,
		first,
		matchTerms: [...meaning.named, ...meaning.meanings.filter(({ kind }) => kind !== 'username')].map(({ id }) => id),
		limit: limit + 1,
		viewerId: viewer?.id ?? null,
	})
	const rows = found.map((row) => ({ ...row, tier: row.tier < 0 ? row.tier : row.tier + tier }))
	const shown = rows.slice(0, limit)
	const last = shown.at(-1)
	return {
		rows: shown.map((row) => ({ ...presentMember(row), ...whyFound(meaning, row) })),
		next: rows.length > limit && last ? cursorOf(wish, last) : null,
	}
}

function cursorOf(wish: Wish, row: FoundRow): string {
	const sort = sortOf(wish)
	return encodeCursor([sort, sort === 'active' ? row.seen_at : row.tier, row.id])
}

function positionOf(wish: Wish, cursor: string): ListPosition {
	const [sort, at, id] = decodeCursor(cursor, 3)
	if (sort !== sortOf(wish) || !isId(id)) throw noSuchPlace()
	if (sort === 'active') {
		if (at !== 'infinity' && at !== '-infinity' && !isTimeText(at)) throw noSuchPlace()
		return { tier: 0, id, seenAt: at }
	}
	if (!Number.isInteger(at) || Number(at) < -1 || Number(at) > 20) throw noSuchPlace()
	return { tier: Number(at), id }
}

/** The filter without which the most people match. */
async function loosen(meaning: Meaning): Promise<Loosening | null> {
	const { filters, wish } = meaning
	if (filters.length + (wish.q ? 1 : 0) < 2) return null
	const sets = filters.map((filter) => {
		const rest = { ...meaning, filters: filters.filter((other) => other !== filter) }
		return isImpossible(rest) ? null : everyMatch(rest)
	})
	const counts = await countSets(meaning, sets, [])
	const options = filters.map((filter, index) => ({ filter, count: counts[index]?.people }))
	const best = options.toSorted((one, other) => (other.count?.number ?? 0) - (one.count?.number ?? 0))[0]
	if (!best?.count?.number) return null
	return { label: best.filter.label, href: communityPath(best.filter.without), count: best.count }
}

interface SearchTerms {
	/** Terms that filters name. */
	named: { id: number; kind: TermKind; label: string }[]
	/** Terms that the words of a search may mean; of kind 'username', the member who has it. */
	meanings: { id: number; kind: TermKind | 'username'; label: string }[]
}

/** Why a member was found, in words, and which of their skills were asked for. */
export function whyFound(
	{ named, meanings }: SearchTerms,
	row: { id: number; matched: number[]; skills: string[]; university_name: string },
): { matchedSkills: string[]; why: string } {
	const has = new Set(row.matched)
	const searched = meanings.filter(({ id, kind }) => kind !== 'username' && has.has(id))
	const keys = new Set(
		[...named, ...searched]
			.filter(({ id, kind }) => kind === 'skill' && has.has(id))
			.map(({ label }) => label.toLowerCase()),
	)
	const matchedSkills = row.skills.filter((skill) => keys.has(skill.toLowerCase()))
	const found = new Set(searched.map(({ label, kind }) => (kind === 'skill' ? label.toLowerCase() : kind)))
	const known = matchedSkills.filter((skill) => found.has(skill.toLowerCase()))
	const isUsername = meanings.some(({ id, kind }) => kind === 'username' && id === row.id)
	const names = [found.has('name') && 'name', isUsername && 'username'].filter(Boolean)
	const reasons = [
		names.length > 0 && `Found by ${names.join(' and ')}`,
		known.length > 0 && `Knows ${known.join(', ')}`,
		found.has('university') && `Studies at ${row.university_name}`,
	]
	return { matchedSkills, why: reasons.filter(Boolean).join(' · ') }
}

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
		about: shortened(row.about, MAX_ABOUT_LENGTH),
		expertise: row.expertise_in,
		skills: row.skills,
		openTo: row.open_to,
		github: webUrl(row.github),
		linkedin: webUrl(row.linkedin),
	}
}
