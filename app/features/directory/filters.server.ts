import { openings } from '~/features/members/self.view.ts'
import { ordinal } from '~/lib/text.ts'
import type { ResolvedCriteria } from './criteria.server.ts'
import { COUNT_LIMITS, maxCounted } from './directory.paths.ts'
import type { Count, FilterChoice, FiltersView } from './directory.view.ts'
import { everyMatch, type FoundMembers } from './finding.server.ts'
import { countFacets, countSetMembers, isEverybody, type MemberSet } from './search.queries.server.ts'
import type { IndexTermRow } from './terms.queries.server.ts'

/** How many people a list has, and how many of them have each term that filters offer. */
export interface FilterCounts {
	people: Count
	/** null where it was not counted. */
	of: (term: IndexTermRow) => Count | null
}

const nobody: Count = { number: 0, atLeast: false }
const openingOrder: readonly string[] = openings
/** A member has only one of each of these: alternatives are counted as if none were chosen. */
const single: IndexTermRow['kind'][] = ['branch', 'year', 'university']

/**
 * Exact from the counters without criteria. Otherwise people are counted up to a limit; beyond it, each number counts only the
 * first people, and says “at least”. Alternatives to a chosen branch, year or university need separate counts, which only a small
 * community gets.
 */
export async function countsOf(found: FoundMembers): Promise<FilterCounts> {
	const { meaning } = found
	const { filters, total } = meaning
	const isSmall = total <= COUNT_LIMITS.small
	const chosen = single.filter((kind) => filters.some((filter) => filter.kind === kind))
	const sets = (isSmall ? [null, ...chosen] : [null]).map((except) => ({
		except,
		meant: except === null && found.sampled ? found.sampled : setWithout(meaning, except),
	}))
	const numbers = await countSets(
		meaning,
		sets.map(({ meant }) => meant),
		found.counted,
	)
	const setOf = (kind: IndexTermRow['kind']) => sets.findIndex(({ except }) => except === kind)
	return {
		people: numbers[0]?.people ?? nobody,
		of: (term) => {
			if (setOf(term.kind) >= 0) return numbers[setOf(term.kind)]?.of(term) ?? nobody
			const isAlternative = chosen.includes(term.kind) && !meaning.named.some(({ id }) => id === term.id)
			return isAlternative ? null : (numbers[0]?.of(term) ?? nobody)
		},
	}
}

function exactly(number: number): Count {
	return { number, atLeast: false }
}

/** All who match without the filters of one kind; null when nobody can. */
function setWithout(meaning: ResolvedCriteria, except: IndexTermRow['kind'] | null): MemberSet | null {
	return everyMatch({ ...meaning, filters: meaning.filters.filter(({ kind }) => kind !== except) })
}

/** How many people match, as far as a large community is counted. */
export async function countPeople(found: FoundMembers): Promise<Count> {
	const { meaning, counted } = found
	const meant = found.sampled ?? everyMatch(meaning)
	if (!meant) return nobody
	if (isEverybody(meant)) return exactly(meaning.total)
	const everyone = meaning.popular.find(({ kind }) => kind === 'everyone')
	const number =
		counted && everyone ? (counted.get(everyone.id) ?? 0) : await countSetMembers(meant, COUNT_LIMITS.max.large + 1)
	return { number: Math.min(number, COUNT_LIMITS.max.large), atLeast: number > COUNT_LIMITS.max.large }
}

/**
 * Counts several sets in one statement, each up to the limit for this size of community.
 * @param known the counts of the first of them, if it was counted with a page of its members
 */
export async function countSets(
	{ popular, total }: ResolvedCriteria,
	sets: (MemberSet | null)[],
	known: FoundMembers['counted'] = null,
) {
	const everyone = popular.find(({ kind }) => kind === 'everyone')
	const asked = sets.flatMap((meant, index) =>
		meant !== null && !isEverybody(meant) && (index > 0 || known === null) ? [meant] : [],
	)
	const max = maxCounted(total)
	const rows = asked.length > 0 ? await countFacets(asked, max + 1) : []
	const numbers = new Map(rows.map(({ set, id, count }) => [`${set}/${id}`, count]))
	return sets.map((meant, index) => {
		if (meant && isEverybody(meant))
			return { people: exactly(total), of: ({ members }: IndexTermRow) => exactly(members) }
		const set = meant ? asked.indexOf(meant) : -1
		const numberOf = (id = 0) => (index === 0 && known ? known.get(id) : numbers.get(`${set}/${id}`)) ?? 0
		const ended = numberOf(everyone?.id) > max
		const of = ({ id }: IndexTermRow): Count => ({
			number: Math.min(numberOf(id), max),
			atLeast: ended && numberOf(id) > 0,
		})
		return { people: everyone ? of(everyone) : nobody, of }
	})
}

/** The terms of the filters: the commonest and the chosen ones. */
export function termsShown({ popular, named }: ResolvedCriteria): IndexTermRow[] {
	const terms = new Map([...popular, ...named].map((term) => [term.id, term]))
	return [...terms.values()].filter(
		({ kind, members }) => kind !== 'everyone' && kind !== 'skill' && (members > 0 || kind === 'online'),
	)
}

/** The filters for the page. @param arriving members who are about to be online, and missing from the counts */
export function presentFilters(meaning: ResolvedCriteria, counts: FilterCounts, arriving: number): FiltersView {
	const { criteria, named, unknown } = meaning
	const terms = termsShown(meaning)
	const chosen = new Set(named.map(({ id }) => id))
	const choices = (kind: IndexTermRow['kind'], labelOf = (label: string) => label): FilterChoice[] => [
		...terms
			.filter((term) => term.kind === kind)
			.map((term) => ({
				value: term.label,
				label: labelOf(term.label),
				chosen: chosen.has(term.id),
				count: counts.of(term),
			})),
		...unknown
			.filter((named) => named.kind === kind)
			.map(({ value }) => ({ value, label: labelOf(value), chosen: true, count: nobody })),
	]
	const online = terms.find(({ kind }) => kind === 'online')
	const connected = online ? counts.of(online) : nobody
	return {
		online: {
			value: '1',
			label: 'Online now',
			chosen: criteria.online,
			count: connected && { ...connected, number: connected.number + arriving },
		},
		openTo: choices('open', (label) => label.replace(/^./, (letter) => letter.toUpperCase())).sort(
			(one, other) => openingOrder.indexOf(one.value) - openingOrder.indexOf(other.value),
		),
		branches: choices('branch'),
		years: choices('year', (label) => ordinal(Number(label))).sort(
			(one, other) => Number(one.value) - Number(other.value),
		),
		universities: choices('university'),
	}
}
