import { listStrongMembers } from '~/features/evidence/evidence.server.ts'
import type { SearchSource } from '~/features/following/searches.server.ts'
import { isId } from '~/lib/checks.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeCursor, encodeCursor, invalidCursor, isTimeText } from '~/platform/http/cursors.ts'
import {
	type Group,
	hasImpossibleFilter,
	type MatchMode,
	type ParsedCriteria,
	parseCriteria,
	type ResolvedCriteria,
	resolveCriteria,
	type SearchWord,
} from './criteria.server.ts'
import { type Criteria, communityPath, criteriaOf, criteriaQuery, maxCounted, sortOf } from './directory.paths.ts'
import {
	estimateSetSize,
	type FoundRow,
	findPage,
	isEverybody,
	MAX_FETCHED,
	MAX_FETCHED_ONCE,
	type MemberSet,
	type SearchPosition,
} from './search.queries.server.ts'
import { findParts } from './terms.queries.server.ts'
import { typedAgain } from './typed.ts'

/** One page of the members who match. */
export interface FoundMembers {
	meaning: ResolvedCriteria
	rows: FoundRow[]
	/**
	 * How many who match have each term that filters offer, counted as by `countFacets`, by the term's id; null where they were not
	 * counted with the page.
	 */
	counted: ReadonlyMap<number, number> | null
	/** All who match as one set, where it was sampled for its size. */
	sampled: MemberSet | null
	/** The cursor of the next page; null at the end. */
	next: string | null
}

/** The minimum length of a word that may be two joined ones. */
const MIN_JOINED_LENGTH = 4

interface ListPosition extends SearchPosition {
	reading: MatchMode
	tier: number
}

/**
 * The members who match, in order. If nobody matches, the words of the search are interpreted more and more loosely (see {@link
 * MatchMode}); later pages use the reading that their cursor names.
 * @param cursor where the previous page ended
 * @param viewer fields that this viewer may not see are not searched
 * @param options `loosest`: the loosest reading to try; `counts`: whether the caller also counts who matches
 * @throws Invalid for a cursor of another list
 */
export async function findMembers(
	criteria: Criteria,
	viewer: Viewer,
	cursor: string | null,
	limit: number,
	{ loosest = 'studies', counts = false }: { loosest?: MatchMode; counts?: boolean } = {},
): Promise<FoundMembers> {
	const understood = await parseCriteria(criteria, viewer)
	const position = cursor ? positionOf(criteria, understood.criteria, cursor) : null
	let first: FoundMembers | undefined
	const readings = readingsOf(understood).filter((reading) => looseness[reading] <= looseness[loosest])
	for (const reading of position ? [position.reading] : readings) {
		const read = await readAs(reading, criteria, understood)
		if (!read) continue
		const found = await findIn(await resolveCriteria(read, reading), position, limit, counts)
		if (found.rows.length > 0) return found
		first ??= found
	}
	return first ?? { meaning: await resolveCriteria(understood, 'written'), ...nobody }
}

const nobody = { rows: [], counted: null, sampled: null, next: null }

const looseness: Record<MatchMode, number> = { written: 0, typos: 1, apart: 2, words: 3, any: 4, studies: 5 }

/** Whether the members found match only a part of the search. */
export function isPartial({ reading }: ResolvedCriteria): boolean {
	return looseness[reading] >= looseness.any
}

function readingsOf({ rest, typed }: ParsedCriteria): MatchMode[] {
	const loosely: MatchMode[] = typed.length > 0 ? ['words', 'any', 'studies'] : ['any']
	return [
		'written',
		...(rest.length > 0 ? (['typos', 'apart', ...loosely] as const) : typed.length > 0 ? (['words'] as const) : []),
	]
}

/** The criteria as this reading understands them; null if it is not another one. */
async function readAs(
	reading: MatchMode,
	criteria: Criteria,
	understood: ParsedCriteria,
): Promise<ParsedCriteria | null> {
	if (reading === 'words') return asWords(criteria, understood.viewer)
	if (reading === 'studies') return { ...understood, rest: [], known: [] }
	return reading === 'apart' ? apart(understood) : understood
}

/** The criteria with the first word that is two joined ones taken apart; null if there is none. */
async function apart({ criteria, rest, typed, viewer }: ParsedCriteria): Promise<ParsedCriteria | null> {
	const joined = rest.filter(({ text, isQuoted }) => !isQuoted && text.length >= MIN_JOINED_LENGTH)
	const words = joined.map(({ text }) => text)
	const found = words.length > 0 ? await findParts(words, viewer ? 'member' : 'visitor') : null
	if (!found) return null
	const separated = rest.map((word) => (word === joined[found.index] ? { ...word, text: found.parts.join(' ') } : word))
	const read = await parseCriteria({ ...criteria, q: typedAgain(separated) }, viewer)
	// A cursor is of a search, even if both parts became filters.
	return { ...read, criteria: { ...read.criteria, q: read.criteria.q || criteria.q }, typed: [...typed, ...read.typed] }
}

/** The criteria with each word of the search taken literally, none as a filter. */
async function asWords(criteria: Criteria, viewer: Viewer): Promise<ParsedCriteria> {
	return { ...(await parseCriteria({ ...criteria, q: quoteSearch(criteria.q) }, viewer)), criteria }
}

/** A search whose words are no filters. */
export function quoteSearch(q: string): string {
	return `"${q.replace(/["“”]/g, ' ').trim()}"`
}

async function findIn(
	meaning: ResolvedCriteria,
	position: ListPosition | null,
	limit: number,
	counts: boolean,
): Promise<FoundMembers> {
	const { criteria, user, viewer } = meaning
	const sort = sortOf(criteria)
	const first = sort === 'match' && !position ? user : null
	const tier = Math.max(0, position?.tier ?? 0)
	const tiers = strongFirst(tiersOf(meaning), sort === 'match' ? await strongOf(meaning) : []).slice(tier)
	if (tiers.length === 0 && first === null) return { meaning, ...nobody }
	const sampled = counts && !position ? await sampledSet(meaning) : null
	const isFew = sampled !== null && sampled.members <= MAX_FETCHED_ONCE
	const whole = isFew ? { meant: sampled, limit: maxCounted(meaning.total) + 1 } : null
	const found = await findPage({
		tiers,
		order: sort === 'active' ? 'seen' : 'joined',
		whole,
		after: position && position.tier >= 0 ? position : null,
		first,
		matchTerms: [...meaning.named, ...meaning.meanings].map(({ id }) => id),
		limit: limit + 1,
		viewerId: viewer?.id ?? null,
	})
	const rows = found.map((row) => ({ ...row, tier: row.tier < 0 ? row.tier : row.tier + tier })).slice(0, limit)
	const last = rows.at(-1)
	const counted = whole
		? new Map(Object.entries(found[0]?.counted ?? {}).map(([id, count]) => [Number(id), count]))
		: null
	return { meaning, rows, counted, sampled, next: found.length > limit && last ? cursorOf(meaning, last) : null }
}

/**
 * All who match, where they can be read at once or their number was estimated by a sample. Sets that are small by the counters of their
 * terms are not sampled, nor are filters, whose counters are better estimates than those of words that occur together. For a single word or filter
 * there is nothing to intersect.
 */
async function sampledSet(meaning: ResolvedCriteria): Promise<MemberSet | null> {
	const meant = everyMatch(meaning)
	if (!meant || isEverybody(meant)) return null
	const { total, words } = meaning
	const [groups = [], ...others] = meant.ways
	if (total <= MAX_FETCHED_ONCE) return { ...meant, members: Math.min(meant.members, total) }
	if (meant.members <= MAX_FETCHED) return meant
	const isSampled = words.length > 0 && groups.length + others.length > 1
	const members = isSampled ? await estimateSetSize(meant, total) : null
	return members === null ? null : { ...meant, members }
}

/**
 * The sets that a list shows one after the other. A search for the best match shows members with this name, then those who have
 * every word literally in a short field, then those who have every word; then the same without optional words. Impossible criteria
 * have no sets.
 */
function tiersOf(meaning: ResolvedCriteria): MemberSet[] {
	const { criteria, words, reading } = meaning
	const whole = everyMatch(meaning)
	if (!whole) return []
	if (sortOf(criteria) !== 'match' || words.length === 0) return [whole]
	const filters = meaning.filters.map(({ group }) => group)
	const each = (groups: Group[]) => (groups.every(({ ids }) => ids.length > 0) ? [[...filters, ...groups]] : [])
	const firm = words.filter(({ isSoft }) => !isSoft)
	const byName = (needed: SearchWord[]) => each(needed.map(({ name }) => name))
	const asWritten = (needed: SearchWord[]) => each(needed.map(({ exact }) => exact))
	// “Learn” does not stand for “Learning” beside what is to be learned.
	const all = words.map(({ any, exact }, at) => (meaning.rest[at]?.isContext ? exact : any))
	const withSoft = firm.length < words.length ? [each(all), byName(firm), asWritten(firm)] : []
	const steps =
		reading === 'any' ? loosely(firm).map((ways) => ways.flatMap(each)) : [byName(words), asWritten(words), ...withSoft]
	const tiers: MemberSet[] = []
	let last: Group[][] = []
	let before: Group[][] = []
	for (const ways of [...steps, whole.ways]) {
		if (ways.length === 0 || isSame(ways, last)) continue
		tiers.push({ ...whole, ways, members: sizeOf(ways, meaning.total), not: before, notUser: meaning.user })
		// Only loose sets do not contain the one before.
		before = reading === 'any' ? [...before, ...ways] : ways
		last = ways
	}
	return tiers
}

/** Sets of a search that nobody matches: all words that somebody has literally, first in a short field; all words but one; any literally. */
function loosely(words: SearchWord[]): Group[][][] {
	const isKnown = ({ ids }: Group) => ids.length > 0
	const short = words.map(({ exact }) => exact).filter(isKnown)
	const literal = words.map(({ literal }) => literal).filter(isKnown)
	const isPart = literal.length > 0 && literal.length < words.length
	return [
		isPart && short.length === literal.length ? [short] : [],
		isPart ? [literal] : [],
		words.length > 2 ? allButOne(words.map(({ any }) => any)) : [],
		literal.length > 1 ? [[unionOf(literal)]] : [],
	]
}

/**
 * Lists of groups that require all of these but one. The missing one is one of a pair, of which the other suffices: half as many
 * lists for the index to intersect as there are groups.
 */
function allButOne(groups: Group[]): Group[][] {
	return groups.flatMap((group, index) => {
		if (index % 2 === 1) return []
		const rest = groups.filter((_, at) => at !== index && at !== index + 1)
		const pair = [group, groups[index + 1]].filter((one) => one !== undefined)
		return [pair.length === 2 ? [unionOf(pair), ...rest] : rest]
	})
}

/** Members with strong evidence of a skill in the criteria. Visitors, who see no evidence, must not learn it from the order either. */
async function strongOf({ viewer, named, meanings }: ResolvedCriteria): Promise<number[]> {
	const skills = [...named, ...meanings.filter(({ exact }) => exact)].filter(({ kind }) => kind === 'skill')
	return viewer ? listStrongMembers(skills.map(({ label }) => label)) : []
}

/** Splits each set: these members first, then the others. */
function strongFirst(tiers: MemberSet[], strong: number[]): MemberSet[] {
	if (strong.length === 0) return tiers
	return tiers.flatMap((meant) => [
		{ ...meant, among: strong, members: Math.min(meant.members, strong.length) },
		{ ...meant, notAmong: strong },
	])
}

/** Roughly how many members have one term of each group of any of these lists, if words are independent. */
function sizeOf(ways: Group[][], total: number): number {
	const shareOf = ({ members }: Group) => Math.min(1, members / Math.max(1, total))
	return ways.reduce((sum, groups) => sum + groups.reduce((size, group) => size * shareOf(group), total), 0)
}

/** Whether two sets require the same terms, so that the second would add nothing. */
function isSame(ways: Group[][], others: Group[][]): boolean {
	const idsOf = (sets: Group[][]) => JSON.stringify(sets.map((groups) => groups.map(({ ids }) => ids.toSorted())))
	return idsOf(ways) === idsOf(others)
}

/** All who match in one set, whatever the order; null where nobody can match. */
export function everyMatch(meaning: ResolvedCriteria): MemberSet | null {
	const { words, reading, notBlocking, viewer } = meaning
	if (hasImpossibleFilter(meaning)) return null
	const filters = meaning.filters.map(({ group }) => group)
	const any = words.filter(({ isSoft }) => !isSoft).map((word) => word.any)
	const groups = reading === 'any' && any.length > 0 ? [unionOf(any)] : any
	const ways = [[...filters, ...groups]]
	if (groups.some(({ ids }) => ids.length === 0)) return null
	return { ways, members: sizeOf(ways, meaning.total), notBlocking, isPublic: viewer === null }
}

function unionOf(groups: Group[]): Group {
	return {
		ids: [...new Set(groups.flatMap(({ ids }) => ids))],
		members: groups.reduce((sum, { members }) => sum + members, 0),
		counted: groups.reduce((sum, { members, counted = members }) => sum + counted, 0),
	}
}

function cursorOf({ criteria, reading }: ResolvedCriteria, row: FoundRow): string {
	const sort = sortOf(criteria)
	return encodeCursor([
		reading === 'written' ? sort : `${sort}/${reading}`,
		sort === 'active' ? row.seen_at : row.tier,
		row.id,
	])
}

/**
 * Parses a cursor.
 * @param typed the criteria of the address
 * @param read the same with typed filters applied, which orders all readings except `words`
 */
function positionOf(typed: Criteria, read: Criteria, cursor: string): ListPosition {
	const [list, at, id] = decodeCursor(cursor, 3)
	const [sort, name = 'written'] = String(list).split('/')
	const reading = (['written', 'typos', 'apart', 'words', 'any', 'studies'] as const).find((one) => one === name)
	const criteria = reading === 'words' ? typed : read
	if (!reading || sort !== sortOf(criteria) || (reading !== 'written' && criteria.q === '') || !isId(id))
		throw invalidCursor()
	if (sort === 'active') {
		if (at !== 'infinity' && at !== '-infinity' && !isTimeText(at)) throw invalidCursor()
		return { reading, tier: 0, id, seenAt: at }
	}
	if (!Number.isInteger(at) || Number(at) < -1 || Number(at) > 20) throw invalidCursor()
	return { reading, tier: Number(at), id }
}

/** Newest matches that are compared, and matches that are remembered. */
const MAX_MATCHES = 50
const MAX_SEEN = 200

/** Criteria for a saved search: in the order of joining, and without who is online now. */
function lasting(query: string): Criteria {
	return { ...criteriaOf(new URLSearchParams(query)), online: false, sort: 'newest' }
}

/**
 * Saved searches of people: new are members who did not match before, including those whose profile changed, as far as the viewer
 * may see it.
 */
export const peopleSource: SearchSource = {
	kind: 'people',
	read: (query) => criteriaQuery({ ...lasting(query), sort: null }) || null,
	path: (query) => communityPath({ ...lasting(query), sort: null }),
	findNew: async (viewer, query, { seen }) => {
		const { rows } = await findMembers(lasting(query), viewer, null, MAX_MATCHES, { loosest: 'written' })
		const ids = rows.map(({ id }) => id).filter((id) => id !== viewer.id)
		// The last of a full list may have matched before, and moved up as another member left it.
		const lastSeen = rows.length < MAX_MATCHES ? -1 : ids.findLastIndex((id) => seen.includes(id))
		const fresh = ids.slice(0, lastSeen === -1 ? ids.length : lastSeen).filter((id) => !seen.includes(id))
		return { count: fresh.length, seen: [...ids, ...seen.filter((id) => !ids.includes(id))].slice(0, MAX_SEEN) }
	},
}
