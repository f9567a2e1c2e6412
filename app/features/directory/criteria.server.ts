import { namesOfBranch, otherNamesOfCity } from '~/features/members/other-names.server.ts'
import { canonicalSkill } from '~/features/members/skills.server.ts'
import { extractYears, type Studies } from '~/features/members/typed-studies.server.ts'
import { findTerm } from '~/features/terms/terms.server.ts'
import { isUsername } from '~/lib/checks.ts'
import { ordinal } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { type Criteria, sortOf } from './directory.paths.ts'
import {
	type FilterValue,
	findFilterTerms,
	findMeanings,
	findUser,
	type IndexTermRow,
	listPopular,
	longTextKinds,
	type MeaningRow,
	type SearchAudience,
	type TermKind,
	weakKinds,
} from './terms.queries.server.ts'
import {
	isOfInstitution,
	type LookupWord,
	numbersOfRest,
	type Phrase,
	phrasesOf,
	shortTypos,
	type TypedWord,
	typedAgain,
	withoutOverlaps,
	wordsOf,
} from './typed.ts'

/** Alternative terms, of which a member has one. */
export interface Group {
	ids: number[]
	/** Maximum number of members; Infinity where it is not counted. */
	members: number
	/** The same for the terms that are counted; used to find the rarer of two groups. */
	counted?: number
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
export interface SearchWord {
	/** Names with exactly this word. */
	name: Group
	/** Terms with exactly this word, without weak kinds. */
	exact: Group
	/** Terms with exactly this word, of weak kinds as well. */
	literal: Group
	/** Terms with this word or a similar one. */
	any: Group
	/** Whether it is optional: members who have it come first. */
	isSoft: boolean
}

/** Criteria whose filters have become terms; the words of the search are left. */
export interface ParsedCriteria {
	/** With branches and years that were typed as filters removed from `q`. */
	criteria: Criteria
	/** The filters that were typed, each with the criteria without it. */
	typed: { label: string; without: Criteria }[]
	/** Fields that this viewer may not see are not searched. */
	viewer: Viewer
	/** The number of listed members. */
	total: number
	/** The commonest values of each filter. */
	popular: IndexTermRow[]
	filters: Filter[]
	/** The terms that filters name. */
	named: IndexTermRow[]
	/** Filter values that nobody has. */
	unknown: FilterValue[]
	/** The words that are no filters. */
	rest: TypedWord[]
	/** Skills named by several words or synonyms, and years of graduation, with the indexes of these words in `rest`. */
	known: MeaningRow[]
	/** The viewer, where the list depends on presence; members who block them are left out. */
	notBlocking: number | null
}

/**
 * How the words of a search are interpreted. Each is tried when the one before finds nobody: literally, or as beginnings; with
 * typos; with joined words apart; a typed branch or year as an ordinary word; all words but one, then any; none but a typed branch or year.
 */
export type MatchMode = 'written' | 'typos' | 'apart' | 'words' | 'any' | 'studies'

/** Criteria with every word turned into terms. */
export interface ResolvedCriteria extends ParsedCriteria {
	reading: MatchMode
	/** One for each of `rest`; empty for a word that nobody has. */
	words: SearchWord[]
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

const askerOf = (viewer: Viewer): SearchAudience => (viewer ? 'member' : 'visitor')

/** Parses criteria: which of their words are branches and years, and the terms of the filters. Two statements in small tables. */
export async function parseCriteria(criteria: Criteria, viewer: Viewer): Promise<ParsedCriteria> {
	const words = wordsOf(criteria.q)
	const studies = extractYears(words, (word) => namesOfBranch(word).length > 1)
	const { years, isYear } = studies
	const phrases = phrasesOf(words, isYear).map((phrase) => ({
		...phrase,
		skill: findTerm(phrase.written)?.name ?? canonicalSkill(phrase.text),
	}))
	const asked = valuesToLookUp(criteria, studies, phrases)
	const [popular, rows] = await Promise.all([
		listPopular(offered, askerOf(viewer)),
		asked.length > 0 ? findFilterTerms(asked, askerOf(viewer)) : [],
	])
	const terms: Terms = new Map(rows.map((row) => [keyOf(asked[row.position] ?? row.label), row]))
	const named = phrases
		.map((phrase) => ({
			...phrase,
			labels: namesOfBranch(phrase.text).flatMap((name) => knownTerm(terms, 'branch', name)?.label ?? []),
		}))
		.filter((phrase) => phrase.labels.length > 0 && !isOfInstitution(words, phrase))
	const isSkill = ({ skill }: SkillPhrase) => knownTerm(terms, 'skill', skill) !== null
	const branches = withoutOverlaps(named.filter((phrase) => !isSkill(phrase)))
	for (const row of rows) terms.set(keyOf({ kind: row.kind, value: row.label }), row)
	const isFilter = words.map(
		(_, index) => isYear[index] === true || branches.some(({ from, to }) => index >= from && index < to),
	)
	const numbers = numbersOfRest(words, isFilter)
	const rest = numbers.flatMap((index) => words[index] ?? [])
	const asFilters: Criteria = {
		...criteria,
		q: isFilter.includes(true) ? typedAgain(rest) : criteria.q,
		branches: [...new Set([...criteria.branches, ...branches.flatMap(({ labels }) => labels)])],
		years: [...new Set([...criteria.years, ...years])],
	}
	const lists = filterValues(asFilters)
	const chosen = lists.flatMap((list) => list.named)
	return {
		criteria: asFilters,
		typed: typedFilters(asFilters, branches, years),
		viewer,
		total: popular.find(({ kind }) => kind === 'everyone')?.members ?? 0,
		popular,
		filters: lists.map((list) => ({
			kind: list.named[0]?.kind ?? 'skill',
			label: list.label,
			without: list.without,
			group: groupOf(list.named.flatMap((value) => filterTerm(terms, value) ?? [])),
		})),
		named: chosen.flatMap((value) => filterTerm(terms, value) ?? []),
		unknown: chosen.filter((value) => !filterTerm(terms, value)),
		rest,
		known: knownMeanings(terms, numbers, studies, {
			skills: withoutOverlaps(phrases.filter(isSkill)),
			// A phrase that is both a skill and a branch may mean either.
			branches: withoutOverlaps(named.filter(isSkill)),
		}),
		notBlocking: criteria.online || sortOf(asFilters) === 'active' ? (viewer?.id ?? null) : null,
	}
}

type FoundTerm = Omit<MeaningRow, 'position' | 'exact'>
/** Terms by the filter values that they were found for, and by their own. */
type Terms = Map<string, FoundTerm>
/** A phrase, and the skill that it would name. */
type SkillPhrase = Phrase & { skill: string }
/** A phrase that names branches which members have. */
type BranchPhrase = Phrase & { labels: string[] }

/** The values whose terms are needed: those of the filters, and those that the words of the search may name. */
function valuesToLookUp(criteria: Criteria, studies: Studies, phrases: SkillPhrase[]): FilterValue[] {
	const { years, passing } = studies
	return [
		...filterValues(criteria).flatMap(({ named }) => named),
		...years.map((year): FilterValue => ({ kind: 'year', value: String(year) })),
		...passing.flatMap((year): FilterValue[] => (year === null ? [] : [{ kind: 'passing', value: String(year) }])),
		...phrases.flatMap(({ text, skill }): FilterValue[] => [
			{ kind: 'skill', value: skill },
			...namesOfBranch(text).map((value): FilterValue => ({ kind: 'branch', value })),
		]),
	]
}

/** The term of a value that members have. */
function knownTerm(terms: Terms, kind: TermKind, value: string): FoundTerm | null {
	const term = terms.get(keyOf({ kind, value }))
	return term && term.members > 0 ? term : null
}

/** The term of a filter. A value that nobody has any longer, or that nobody shows to visitors, is unknown, and so is its spelling. */
function filterTerm(terms: Terms, value: FilterValue): FoundTerm | undefined {
	const term = terms.get(keyOf(value))
	return term && (term.members > 0 || term.kind === 'online') ? term : undefined
}

/** The filters that were typed, each with the criteria without it. */
function typedFilters(criteria: Criteria, branches: BranchPhrase[], years: number[]): ParsedCriteria['typed'] {
	return [
		...branches.map(({ labels }) => ({
			label: labels.join(' or '),
			without: { ...criteria, branches: criteria.branches.filter((branch) => !labels.includes(branch)) },
		})),
		...years.map((year) => ({
			label: yearLabel(year),
			without: { ...criteria, years: criteria.years.filter((other) => other !== year) },
		})),
	]
}

/** As `known` of {@link ParsedCriteria}. @param numbers of the words in `rest` @param phrases that name skills, and branches among them */
function knownMeanings(
	terms: Terms,
	numbers: readonly number[],
	{ passing }: Studies,
	phrases: { skills: SkillPhrase[]; branches: BranchPhrase[] },
): MeaningRow[] {
	const meant = ({ from, to }: Phrase, term: FoundTerm | null | undefined): MeaningRow[] =>
		numbers.flatMap((number, position) =>
			term && number >= from && number < to ? [{ ...term, position, exact: true }] : [],
		)
	return [
		...phrases.skills.flatMap((phrase) => meant(phrase, knownTerm(terms, 'skill', phrase.skill))),
		...phrases.branches.flatMap((phrase) =>
			phrase.labels.flatMap((label) => meant(phrase, filterTerm(terms, { kind: 'branch', value: label }))),
		),
		...numbers.flatMap((number, position) => {
			const term = passing[number] ? knownTerm(terms, 'passing', String(passing[number])) : null
			return term ? [{ ...term, position, exact: true }] : []
		}),
	]
}

/** Looks up the words of the criteria. */
export async function resolveCriteria(understood: ParsedCriteria, reading: MatchMode): Promise<ResolvedCriteria> {
	const { rest, criteria, viewer, filters } = understood
	const typed = criteria.q.trim().toLowerCase().replace(/^@/, '')
	const isSkill = (at: number) => reading === 'written' && understood.known.some(({ position }) => position === at)
	const [found, user] = await Promise.all([
		rest.length > 0
			? findMeanings(
					lookupWords(rest, isSkill),
					wordKinds,
					reading === 'written' || reading === 'apart' ? null : shortTypos(rest),
					askerOf(viewer),
				)
			: [],
		isUsername(typed) && filters.length === 0 ? findUser(typed) : null,
	])
	// “N” stands for a name in “N. Kulkarni”, and not in “react n”.
	const isLetter = ({ position }: MeaningRow) => rest[position]?.text.length === 1
	const hasName = found.some((meaning) => meaning.kind === 'name' && meaning.exact && !isLetter(meaning))
	const isMeant = (meaning: MeaningRow) => hasName || meaning.kind !== 'name' || meaning.exact || !isLetter(meaning)
	const meanings = [...understood.known, ...found.filter(isMeant)]
	const isSoft = softOf(understood, reading)
	// “Pune” is the city of members rather than a word of their university, unless another word is of a university, too.
	const isIn = (kind: TermKind, at: number) =>
		meanings.some((one) => one.kind === kind && one.exact && one.position === at)
	const isUniversity = rest.some((_, at) => isIn('university', at) && !isIn('city', at))
	const words = rest.map((_, position) => {
		const any = meanings.filter((meaning) => meaning.position === position)
		// “C” more likely means the language than an initial.
		const isSkill = rest[position]?.text.length === 1 && understood.known.some((known) => known.position === position)
		const isWeak = (kind: TermKind) =>
			weakKinds.includes(kind) ||
			(isSkill && kind === 'name') ||
			(kind === 'university' && !isUniversity && isIn('city', position))
		const exact = any.filter(({ exact, kind }) => exact && !isWeak(kind))
		return {
			any: groupOf(any),
			exact: groupOf(exact),
			// Visitors must not learn from the order which words long texts have that only members see.
			literal: groupOf(any.filter(({ exact, kind }) => exact && (viewer || !longTextKinds.includes(kind)))),
			name: groupOf(exact.filter(({ kind }) => kind === 'name')),
			isSoft: isSoft[position] ?? false,
		}
	})
	return { ...understood, reading, words, meanings, user }
}

/**
 * Which words are optional: “developers” in “react developers”, and a single letter beside other words, as in “Meera R Pawar”.
 * “Mentor” in “react mentor” is optional where those who have it come first. A letter that is a skill, such as R, is required as long as that
 * yields matches. At least one word or filter is required.
 */
function softOf({ criteria, rest, known, filters }: ParsedCriteria, reading: MatchMode): boolean[] {
	const isSoft = rest.map((word, position) => {
		const isKnown = known.some((meaning) => meaning.position === position)
		const isInitial = rest.length > 1 && !word.isQuoted && /^\p{L}$/u.test(word.text)
		const isOptional = word.isSoft || (word.isContext && sortOf(criteria) === 'match')
		return isInitial ? !isKnown || reading !== 'written' : isOptional && !isKnown
	})
	return isSoft.every(Boolean) && filters.length === 0 ? rest.map(() => false) : isSoft
}

/**
 * The words, adjacent ones joined, as “front end” also finds “frontend”, and other names of cities. A letter beside one word may be an initial,
 * as in “R. Sharma”.
 * @param isSkill whether a word names a skill, and so is no initial
 */
function lookupWords(rest: readonly TypedWord[], isSkill: (position: number) => boolean): LookupWord[] {
	const words = rest.map(({ text, isQuoted }, position) => {
		const isInitial = rest.length === 2 && !isQuoted && /^\p{L}$/u.test(text) && !isSkill(position)
		return { position, text, isJoined: false, isInitial }
	})
	const joined = words.slice(1).flatMap(({ position, text }) =>
		[position - 1, position].map((at) => ({
			position: at,
			text: `${words[position - 1]?.text}${text}`,
			isJoined: true,
		})),
	)
	const cities = rest.flatMap(({ text, isQuoted }, position) =>
		isQuoted ? [] : otherNamesOfCity(text).map((name) => ({ position, text: name, isJoined: true })),
	)
	return [...words, ...joined, ...cities]
}

/** Whether a filter only has values that nobody has. */
export function hasImpossibleFilter({ filters }: ParsedCriteria): boolean {
	return filters.some(({ group }) => group.ids.length === 0)
}

interface Values {
	named: FilterValue[]
	label: string
	without: Criteria
}

function filterValues(criteria: Criteria): Values[] {
	const each = (kind: FilterValue['kind'], key: 'skills' | 'openTo', values: readonly string[]): Values[] =>
		values.map((value) => ({
			named: [{ kind, value: kind === 'skill' ? canonicalSkill(value) : value }],
			label: key === 'openTo' ? `open to ${value}` : value,
			without: { ...criteria, [key]: values.filter((other) => other !== value) },
		}))
	const oneOf = (kind: FilterValue['kind'], key: 'branches' | 'years' | 'universities', labels: string[]): Values[] =>
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

function keyOf(named: FilterValue | string): string {
	return typeof named === 'string' ? named : `${named.kind}/${named.value}`
}

function groupOf(terms: readonly IndexTermRow[]): Group {
	const counted = terms.filter(({ kind }) => !longTextKinds.includes(kind))
	const sum = counted.reduce((members, term) => members + term.members, 0)
	return {
		ids: [...new Set(terms.map(({ id }) => id))],
		members: counted.length < terms.length ? Number.POSITIVE_INFINITY : sum,
		counted: sum,
	}
}
