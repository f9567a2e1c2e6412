import { canonicalSkill } from '~/features/members/skills.server.ts'
import { isUsername } from '~/lib/checks.ts'
import { ordinal } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { type Criteria, sortOf } from './directory.paths.ts'
import {
	type AskedWord,
	type Asker,
	findMeanings,
	findNamed,
	findUser,
	listPopular,
	type MeaningRow,
	type Named,
	type TermKind,
	type TermRow,
	uncountedKinds,
	weakKinds,
} from './terms.queries.server.ts'
import {
	isOfInstitution,
	namesOfBranch,
	phrasesOf,
	type TypedWord,
	takeYears,
	withoutOverlaps,
	wordsOf,
} from './typed.ts'

/** Alternative terms, of which a member has one. */
export interface Group {
	ids: number[]
	/** Maximum number of members; Infinity where it is not counted. */
	members: number
}

/** One filter: the terms that meet it, and the criteria without it. */
export interface Filter {
	kind: TermKind
	/** In a sentence: “CSE”, “1st year”, “online now”. */
	label: string
	group: Group
	without: Criteria
}

/** Possible meanings of one word of a search. */
interface Word {
	/** Names with exactly this word. */
	name: Group
	/** Terms with exactly this word, without weak kinds. */
	exact: Group
	/** Terms with this word or a similar one. */
	any: Group
}

/** Criteria whose filters have become terms; the words of the search are left. */
export interface Understood {
	/** With branches and years that were typed as filters removed from `q`. */
	criteria: Criteria
	/** The filters that were typed, each with the criteria without it. */
	typed: { label: string; without: Criteria }[]
	/** Nobody is found by what this viewer may not see. */
	viewer: Viewer
	/** The number of listed members. */
	total: number
	/** The commonest values of each filter. */
	popular: TermRow[]
	filters: Filter[]
	/** The terms that filters name. */
	named: TermRow[]
	/** Filter values that nobody has. */
	unknown: Named[]
	/** The words that are no filters. */
	rest: TypedWord[]
	/** Skills named by several words or synonyms, with the indexes of these words in `rest`. */
	skills: MeaningRow[]
	/** The viewer, where the list depends on presence; members who block them are left out. */
	notBlocking: number | null
}

/**
 * How the words of a search are interpreted. Each is tried when the one before finds nobody: literally, or as beginnings; with
 * typos; a typed branch or year as an ordinary word; all words but one, then any.
 */
export type Reading = 'written' | 'typos' | 'words' | 'any'

/** Criteria with every word turned into terms. */
export interface Meaning extends Understood {
	reading: Reading
	/** One for each of `rest`; empty for a word that nobody has. */
	words: Word[]
	meanings: MeaningRow[]
	/** The member whose username is the whole search. */
	user: number | null
}

/** Values of each kind that the filters offer. */
const offered = { everyone: 1, online: 1, open: 6, year: 8, branch: 8, university: 6 } as const

/** Kinds of terms that a word of a search may match. The documents decide by which of them visitors find a member. */
const wordKinds: TermKind[] = [
	...(['name', 'skill', 'university', 'branch', 'expertise', 'about'] as const),
	...(['city', 'location', 'project', 'certificate', 'experience', 'details'] as const),
]

const askerOf = (viewer: Viewer): Asker => (viewer ? 'member' : 'visitor')

/** Parses criteria: which of their words are branches and years, and the terms of the filters. Two statements in small tables. */
export async function understand(criteria: Criteria, viewer: Viewer): Promise<Understood> {
	const words = wordsOf(criteria.q)
	const { years, isYear } = takeYears(words)
	const phrases = phrasesOf(words, isYear).map((phrase) => ({ ...phrase, skill: canonicalSkill(phrase.text) }))
	const asked: Named[] = [
		...filterValues(criteria).flatMap(({ named }) => named),
		...years.map((year): Named => ({ kind: 'year', value: String(year) })),
		...phrases.flatMap(({ text, skill }): Named[] => [
			{ kind: 'skill', value: skill },
			...namesOfBranch(text).map((value): Named => ({ kind: 'branch', value })),
		]),
	]
	const [popular, rows] = await Promise.all([
		listPopular(offered, askerOf(viewer)),
		asked.length > 0 ? findNamed(asked, askerOf(viewer)) : [],
	])
	const terms = new Map(rows.map((row) => [keyOf(asked[row.position] ?? row.label), row]))
	const known = (kind: TermKind, value: string) => {
		const term = terms.get(keyOf({ kind, value }))
		return term && term.members > 0 ? term : null
	}
	const branches = withoutOverlaps(
		phrases
			.map((phrase) => ({
				...phrase,
				labels: namesOfBranch(phrase.text).flatMap((name) => known('branch', name)?.label ?? []),
			}))
			.filter((phrase) => phrase.labels.length > 0 && !known('skill', phrase.skill) && !isOfInstitution(words, phrase)),
	)
	for (const row of rows) terms.set(keyOf({ kind: row.kind, value: row.label }), row)
	const isFilter = words.map(
		(_, index) => isYear[index] || branches.some(({ from, to }) => index >= from && index < to),
	)
	const left = words.flatMap((_, index) => (isFilter[index] ? [] : [index]))
	const telling = left.filter((index) => !words[index]?.isFiller)
	const numbers = telling.length > 0 || left.length < words.length ? telling : left
	const rest = numbers.flatMap((index) => words[index] ?? [])
	const labels = [...new Set(branches.flatMap((branch) => branch.labels))]
	const asFilters: Criteria = {
		...criteria,
		q: isFilter.includes(true)
			? rest.map(({ text, isQuoted }) => (isQuoted ? `"${text}"` : text)).join(' ')
			: criteria.q,
		branches: [...new Set([...criteria.branches, ...labels])],
		years: [...new Set([...criteria.years, ...years])],
	}
	const total = popular.find(({ kind }) => kind === 'everyone')?.members ?? 0
	const lists = filterValues(asFilters)
	const named = lists.flatMap((list) => list.named)
	const termOf = (value: Named) => terms.get(keyOf(value))
	return {
		criteria: asFilters,
		typed: [
			...branches.map(({ labels: own }) => ({
				label: own.join(' or '),
				without: { ...asFilters, branches: asFilters.branches.filter((branch) => !own.includes(branch)) },
			})),
			...years.map((year) => ({
				label: yearLabel(year),
				without: { ...asFilters, years: asFilters.years.filter((other) => other !== year) },
			})),
		],
		viewer,
		total,
		popular,
		filters: lists.map((list) => ({
			kind: list.named[0]?.kind ?? 'skill',
			label: list.label,
			without: list.without,
			group: groupOf(list.named.flatMap((value) => termOf(value) ?? [])),
		})),
		named: named.flatMap((value) => termOf(value) ?? []),
		unknown: named.filter((value) => !termOf(value)),
		rest,
		skills: withoutOverlaps(phrases.filter(({ skill }) => known('skill', skill))).flatMap(({ from, to, skill }) => {
			const term = known('skill', skill)
			return numbers.flatMap((number, position) =>
				term && number >= from && number < to ? [{ ...term, position, exact: true }] : [],
			)
		}),
		notBlocking: criteria.online || sortOf(asFilters) === 'active' ? (viewer?.id ?? null) : null,
	}
}

/** Looks up the words of the criteria. */
export async function meaningOf(understood: Understood, reading: Reading): Promise<Meaning> {
	const { rest, criteria, viewer, filters } = understood
	const typed = criteria.q.trim().toLowerCase()
	const [found, user] = await Promise.all([
		rest.length > 0 ? findMeanings(askedOf(rest), wordKinds, reading !== 'written', askerOf(viewer)) : [],
		isUsername(typed) && filters.length === 0 ? findUser(typed) : null,
	])
	const meanings = [...understood.skills, ...found]
	const words = rest.map((_, position) => {
		const any = meanings.filter((meaning) => meaning.position === position)
		const exact = any.filter((meaning) => meaning.exact && !weakKinds.includes(meaning.kind))
		return {
			any: groupOf(any),
			exact: groupOf(exact),
			name: groupOf(exact.filter(({ kind }) => kind === 'name')),
		}
	})
	return { ...understood, reading, words, meanings, user }
}

/** The words, and adjacent ones joined: “front end” also finds “frontend”. */
function askedOf(rest: readonly TypedWord[]): AskedWord[] {
	const words = rest.map(({ text }, position) => ({ position, text, isJoined: false }))
	const joined = words.slice(1).flatMap(({ position, text }) =>
		[position - 1, position].map((at) => ({
			position: at,
			text: `${words[position - 1]?.text}${text}`,
			isJoined: true,
		})),
	)
	return [...words, ...joined]
}

/** Whether a filter only has values that nobody has. */
export function isImpossible({ filters }: Understood): boolean {
	return filters.some(({ group }) => group.ids.length === 0)
}

interface Values {
	named: Named[]
	label: string
	without: Criteria
}

function filterValues(criteria: Criteria): Values[] {
	const each = (kind: Named['kind'], key: 'skills' | 'openTo', values: readonly string[]): Values[] =>
		values.map((value) => ({
			named: [{ kind, value: kind === 'skill' ? canonicalSkill(value) : value }],
			label: key === 'openTo' ? `open to ${value}` : value,
			without: { ...criteria, [key]: values.filter((other) => other !== value) },
		}))
	const oneOf = (kind: Named['kind'], key: 'branches' | 'years' | 'universities', labels: string[]): Values[] =>
		labels.length === 0
			? []
			: [
					{
						named: criteria[key].map((value) => ({ kind, value: String(value) })),
						label: labels.join(' or '),
						without: { ...criteria, [key]: [] },
					},
				]
	return [
		...each('skill', 'skills', criteria.skills),
		...oneOf('branch', 'branches', criteria.branches),
		...oneOf('year', 'years', criteria.years.map(yearLabel)),
		...oneOf('university', 'universities', criteria.universities),
		...each('open', 'openTo', criteria.openTo),
		...(criteria.online
			? [
					{
						named: [{ kind: 'online', value: '' } as const],
						label: 'online now',
						without: { ...criteria, online: false },
					},
				]
			: []),
	]
}

/** “3rd year” */
function yearLabel(year: number): string {
	return `${ordinal(year)} year`
}

function keyOf(named: Named | string): string {
	return typeof named === 'string' ? named : `${named.kind}/${named.value}`
}

function groupOf(terms: readonly TermRow[]): Group {
	return {
		ids: [...new Set(terms.map(({ id }) => id))],
		members: terms.reduce(
			(sum, { kind, members }) => sum + (uncountedKinds.includes(kind) ? Number.POSITIVE_INFINITY : members),
			0,
		),
	}
}
