import { canonicalSkill } from '~/features/members/skills.server.ts'
import { aliasesIn } from '~/features/terms/terms.server.ts'
import { ordinal } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { MAX_SEARCH_LENGTH, sortOf, type Wish } from './directory.paths.ts'
import {
	findMeanings,
	findNamed,
	listPopular,
	type MeaningRow,
	type Named,
	type TermRow,
} from './terms.queries.server.ts'
import type { Group, Meant } from './ways.ts'

/** One filter of a wish: the terms that meet it, and the wish without it. */
export interface Filter {
	kind: TermRow['kind']
	/** As it stands in a sentence: “CSE”, “1st year”, “online now”. */
	label: string
	group: Group
	without: Wish
}

/** What one word of a search may mean. */
interface Word {
	/** Terms with the very word. */
	exact: Group
	/** Terms with it or with a word like it. */
	any: Group
}

/** A wish, with every name in it turned into terms. */
export interface Meaning {
	wish: Wish
	/** How many listed members there are. */
	total: number
	/** The commonest values of each filter. */
	popular: TermRow[]
	filters: Filter[]
	/** The terms that filters name. */
	named: TermRow[]
	/** What filters name and nobody has. */
	unknown: Named[]
	words: Word[]
	meanings: MeaningRow[]
	/** The member whose username the whole search is. */
	user: number | null
	/** Who looks, where the list shows who is online or was last; those who block them are left out. */
	notBlocking: number | null
}

/** How many values of each kind the filters offer. */
const offered = { everyone: 1, online: 1, open: 2, year: 8, branch: 8, university: 6 } as const

/** Looks up what a wish of this viewer means: three statements at most, each in the small dictionary of terms. */
export async function meaningOf(wish: Wish, viewer: Viewer): Promise<Meaning> {
	const lists = filterValues(wish)
	const wanted = lists.flatMap(({ named }) => named)
	const [popular, found, meanings] = await Promise.all([
		listPopular(offered),
		wanted.length > 0 ? findNamed(wanted) : [],
		wish.q ? meaningsOf(wish.q) : [],
	])
	const total = popular.find(({ kind }) => kind === 'everyone')?.members ?? 0
	let position = 0
	const filters = lists.map(({ named, label, without }) => {
		const from = position
		position += named.length
		const terms = found.filter((term) => term.position >= from && term.position < position)
		return { kind: named[0]?.kind ?? 'skill', label, without, group: groupOf(terms, total) }
	})
	return {
		wish,
		total,
		popular,
		filters,
		named: found,
		unknown: wanted.filter((_, index) => !found.some((term) => term.position === index)),
		words: wordsOf(meanings, total),
		meanings,
		notBlocking: wish.online || sortOf(wish) === 'active' ? (viewer?.id ?? null) : null,
		user: filters.length === 0 ? (meanings.find(({ kind }) => kind === 'username')?.id ?? null) : null,
	}
}

/** What the words of a search may mean; those that are another spelling of a term mean that skill as well, exactly. */
export function meaningsOf(search: string): Promise<MeaningRow[]> {
	const asked = search.slice(0, MAX_SEARCH_LENGTH)
	return findMeanings(asked, aliasesIn(asked))
}

/**
 * The sets that a list shows one after the other. A search for the best match shows who has every word as it is written, then
 * who has every word, then who has one word less, and so on. An impossible wish has none.
 */
export function tiersOf(meaning: Meaning): Meant[] {
	const { wish, filters, words, user, notBlocking } = meaning
	const groups = filters.map(({ group }) => group)
	if (isImpossible(meaning)) return []
	if (sortOf(wish) !== 'match') return [everyMatch(meaning)]
	const notUser = user
	const exact = words.map((word) => word.exact)
	const any = words.map((word) => word.any)
	const tiers: Meant[] = []
	const allExact = exact.every(({ ids }) => ids.length > 0)
	if (allExact) tiers.push({ groups: [...groups, ...exact], notUser, notBlocking })
	if (words.some((word) => word.any.ids.length > word.exact.ids.length))
		tiers.push({ groups: [...groups, ...any], notUser, notBlocking, ...(allExact ? { not: exact } : {}) })
	for (let count = words.length - 1; count >= 1; count -= 1)
		tiers.push({ groups, exactly: { groups: any, count }, notUser, notBlocking })
	return tiers
}

/** All of a wish in one set, whatever the order: who meets every filter, and any word of the search. */
export function everyMatch({ filters, words, notBlocking }: Meaning): Meant {
	const groups = filters.map(({ group }) => group)
	return { groups: words.length > 0 ? [...groups, union(words.map(({ any }) => any))] : groups, notBlocking }
}

/** Whether a filter, or the search, names only what nobody has. */
export function isImpossible({ wish, filters, words }: Meaning): boolean {
	return filters.some(({ group }) => group.ids.length === 0) || (wish.q !== '' && words.length === 0)
}

interface Values {
	named: Named[]
	label: string
	without: Wish
}

function filterValues(wish: Wish): Values[] {
	const each = (kind: Named['kind'], key: 'skills' | 'openTo', values: readonly string[]): Values[] =>
		values.map((value) => ({
			named: [{ kind, value: kind === 'skill' ? canonicalSkill(value) : value }],
			label: key === 'openTo' ? `open to ${value}` : value,
			without: { ...wish, [key]: values.filter((other) => other !== value) },
		}))
	const oneOf = (kind: Named['kind'], key: 'branches' | 'years' | 'universities', labels: string[]): Values[] =>
		labels.length === 0
			? []
			: [
					{
						named: wish[key].map((value) => ({ kind, value: String(value) })),
						label: labels.join(' or '),
						without: { ...wish, [key]: [] },
					},
				]
	return [
		...each('skill', 'skills', wish.skills),
		...oneOf('branch', 'branches', wish.branches),
		...oneOf('year', 'years', wish.years.map(yearLabel)),
		...oneOf('university', 'universities', wish.universities),
		...each('open', 'openTo', wish.openTo),
		...(wish.online
			? [{ named: [{ kind: 'online', value: '' } as const], label: 'online now', without: { ...wish, online: false } }]
			: []),
	]
}

/** “3rd year” */
function yearLabel(year: number): string {
	return `${ordinal(year)} year`
}

function wordsOf(meanings: MeaningRow[], total: number): Word[] {
	const positions = [...new Set(meanings.filter(({ position }) => position > 0).map(({ position }) => position))]
	return positions.map((position) => {
		const any = meanings.filter((meaning) => meaning.position === position)
		return {
			any: groupOf(any, total),
			exact: groupOf(
				any.filter(({ exact }) => exact),
				total,
			),
		}
	})
}

function groupOf(terms: { id: number; members: number }[], total: number): Group {
	const members = terms.reduce((sum, term) => sum + term.members, 0)
	return { ids: terms.map(({ id }) => id), share: Math.min(1, members / Math.max(1, total)) }
}

function union(groups: Group[]): Group {
	return {
		ids: [...new Set(groups.flatMap(({ ids }) => ids))],
		share: Math.min(
			1,
			groups.reduce((sum, { share }) => sum + share, 0),
		),
	}
}
