import { type Criteria, criteriaQuery, NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { presentFound } from '~/features/directory/directory.server.ts'
import type { MemberView } from '~/features/directory/directory.view.ts'
import { countPeople } from '~/features/directory/filters.server.ts'
import { findMembers } from '~/features/directory/finding.server.ts'
import { canonicalSkill } from '~/features/members/skills.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { describeOperators, parseSearch, withoutOperator } from '~/features/search/search.server.ts'
import type { SearchFallback, SearchTools } from '~/features/search/search.view.ts'
import { listTags, suggestTags, suggestTagsForEach, type TagSuggestion } from '~/features/tags/tags.server.ts'
import { findTerm, similarTerm } from '~/features/terms/terms.server.ts'
import { termKey } from '~/features/terms/terms.view.ts'
import { cleanLine } from '~/lib/clean.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { cachedPage } from '~/platform/cache/cached-page.ts'
import { LIST_PAGES } from '~/platform/cache/pages.server.ts'
import { MAX_SEARCH_LENGTH, type SearchKind, searchKindOf, searchRoute } from './finder.paths.ts'
import type { Hits, SearchData, SearchFilter, TagHit } from './finder.view.ts'
import { recordMiss } from './misses.server.ts'
import { findProjects } from './projects.server.ts'

export type ParsedSearchText = ReturnType<typeof parseSearch>

/** The search page, which is cached for visitors. */
export const searchPage = cachedPage({
	path: searchRoute,
	searchParams: ['q', 'in', 'cursor'],
	tags: () => [LIST_PAGES],
})

/** Rows of a page, and of each kind on the overview. */
const MAX_ROWS = { page: 20, best: { questions: 5, people: 4, projects: 3, tags: 8 }, tags: 60 }
/** Counting stops here. */
const MAX_COUNT = 100
const none = { rows: [], next: null, count: { number: 0, atLeast: false }, nearness: 'all' as const }

/** A parsed address. */
interface Asked {
	q: string
	kind: SearchKind | null
	cursor: string | null
}

/** Parses the address of a search. */
export function parseSearchUrl(url: URL): Asked {
	const { q, in: kind, cursor } = searchPage.read(url)
	return { q: cleanSearch(q ?? ''), kind: searchKindOf(kind), cursor: cursor || null }
}

/** Normalizes a search. */
export function cleanSearch(text: string): string {
	return cleanLine(text).slice(0, MAX_SEARCH_LENGTH)
}

/**
 * Everything that a search finds for this viewer: a page of one kind, or the best of each, with the counts of the others. Counts include
 * complete matches only. Partial and similar matches are shown if there are no complete ones.
 * @param isNoted whether to record a search without results: not for a prefetch
 * @throws Invalid for an invalid cursor
 */
export async function searchEverything(viewer: Viewer, asked: Asked, isNoted: boolean): Promise<SearchData> {
	const { q, kind, cursor } = asked
	const parsed = parseSearch(q)
	const limit = (one: SearchKind) => (kind === one ? MAX_ROWS.page : kind === null ? MAX_ROWS.best[one] : 1)
	const at = (one: SearchKind) => (kind === one ? cursor : null)
	const ofPeople = (isLoose: boolean) => searchPeople(viewer, parsed, at('people'), limit('people'), isLoose)
	const ofProjects = async (isLoose: boolean) =>
		viewer &&
		(q && appliesToAllKinds(parsed)
			? findProjects(parsed, at('projects'), limit('projects'), isLoose ? 'some' : 'all')
			: none)
	const [questions, people, projects, tags] = await Promise.all([
		q ? searchQuestions(viewer, parsed, at('questions'), limit('questions')) : { ...none, instead: null },
		ofPeople(kind === 'people'),
		ofProjects(kind === 'projects'),
		searchTags(parsed, kind === 'tags' ? MAX_ROWS.tags : MAX_ROWS.best.tags),
	])
	const { instead, ...hits } = questions
	const found = { questions: hits, people, projects, tags }
	if (kind === null && q && !hasExact(found))
		[found.people, found.projects] = await Promise.all([ofPeople(true), ofProjects(true)])
	const isMissed = q !== '' && cursor === null && !hasExact(found)
	if (isMissed && isNoted) recordMiss(parsed)
	const shown = kind === null && hasExact(found) ? exactOnly(found) : found
	const described = describeOperators(q)
	return {
		...asked,
		...shown,
		page: (kind !== null && shown[kind]) || { rows: [], next: null },
		tools: {
			operators: withoutFilters(described.operators),
			ignoresOr: described.ignoresOr,
			instead: shown.questions.rows.length > 0 ? instead : null,
		},
		filters: filtersOf(parsed),
		saveable: saveableOf(parsed, asked),
		instead: isMissed && isEmpty(found, kind) ? await elsewhere(viewer) : null,
	}
}

/** The search in the form that can be saved; null for other kinds. */
function saveableOf(parsed: ParsedSearchText, { q, kind }: Asked): SearchData['saveable'] {
	if (q && kind === 'questions') return { kind: 'queries', query: q, name: q }
	if (q && kind === 'people' && appliesToAllKinds(parsed))
		return { kind: 'people', query: criteriaQuery(criteriaOfSearch(parsed)), name: q }
	return null
}

type Found = Pick<SearchData, 'questions' | 'people' | 'projects' | 'tags'>

const listsOf = ({ questions, people, projects, tags }: Found): Hits<unknown>[] =>
	[questions, people, projects, tags].filter((hits) => hits !== null)

function hasExact(found: Found): boolean {
	return listsOf(found).some(({ rows, nearness }) => rows.length > 0 && nearness === 'all')
}

function isEmpty(found: Found, kind: SearchKind | null): boolean {
	return kind === null ? listsOf(found).every(({ rows }) => rows.length === 0) : found[kind]?.rows.length === 0
}

/** Beside complete matches, partial ones are noise. */
function exactOnly(found: Found): Found {
	const only = <Row>(hits: Hits<Row>): Hits<Row> => (hits.nearness === 'all' ? hits : { ...hits, rows: [], next: null })
	return {
		questions: only(found.questions),
		people: only(found.people),
		projects: found.projects && only(found.projects),
		// Tags for some of the words help to refine the search.
		tags: found.tags,
	}
}

/** Something else to read if there are no results: the newest questions and the most used tags. */
async function elsewhere(viewer: Viewer): Promise<NonNullable<SearchData['instead']>> {
	const [{ rows }, tags] = await Promise.all([listQuestions(viewer, { limit: 3 }), listTags(12)])
	return { questions: rows, tags }
}

type FoundQuestions = Hits<QuestionCardView> & { instead: SearchFallback | null }

async function searchQuestions(
	viewer: Viewer,
	parsed: ParsedSearchText,
	cursor: string | null,
	limit: number,
): Promise<FoundQuestions> {
	return presentQuestions(await listQuestions(viewer, { search: parsed.parts.join(' '), cursor, limit }))
}

function presentQuestions(page: Awaited<ReturnType<typeof listQuestions>>): FoundQuestions {
	const { rows, next, instead = null, found } = page
	const asAsked = instead?.kind === 'any' ? instead.exact : 0
	const exact = instead ? asAsked : (found ?? rows.length)
	const isMore = exact > MAX_COUNT || (found === undefined && next !== null)
	const nearness = instead === null || exact > 0 ? 'all' : instead.kind === 'any' ? 'some' : 'near'
	const count = { number: Math.min(exact, MAX_COUNT), atLeast: isMore }
	return { rows, next, instead, nearness, count }
}

/** Whether a search has no operators that apply only to questions: a state, part of a text, a category, an exclusion, an alternative. */
export function appliesToAllKinds({ terms, operators }: ParsedSearchText): boolean {
	const isOfAll = operators.every(
		({ kind, excluded, isAlternative }) => !excluded && !isAlternative && (kind === 'tag' || kind === 'user'),
	)
	return isOfAll && terms.every(({ kind }) => kind !== 'without')
}

/** The criteria for people: `tag:` is a skill, `user:` a username. */
export function criteriaOfSearch({ terms, operators }: ParsedSearchText): Criteria {
	const named = (kind: string) => operators.filter((one) => one.kind === kind).map(({ value }) => value)
	const words = terms
		.filter(({ kind }) => kind !== 'or')
		.map(({ kind, text }) => (kind === 'phrase' ? `"${text}"` : text))
	return { ...NO_CRITERIA, q: [...words, ...named('user')].join(' '), skills: named('tag').map(canonicalSkill) }
}

async function searchPeople(
	viewer: Viewer,
	parsed: ParsedSearchText,
	cursor: string | null,
	limit: number,
	isLoose: boolean,
): Promise<Hits<MemberView>> {
	const criteria = criteriaOfSearch(parsed)
	if (!appliesToAllKinds(parsed) || (criteria.q === '' && criteria.skills.length === 0)) return none
	const found = await findMembers(criteria, viewer, cursor, limit, {
		loosest: isLoose ? 'any' : 'written',
		counts: true,
	})
	if (found.rows.length === 0) return none
	const { meaning } = found
	const nearness = meaning.reading === 'any' ? 'some' : meaning.reading === 'written' ? 'all' : 'near'
	const [rows, { number, atLeast }] = await Promise.all([
		presentFound(found),
		nearness === 'all' ? countPeople(found) : none.count,
	])
	// The count does not include the member whose username was typed.
	const count = nearness === 'all' ? { number: Math.max(number, rows.length), atLeast } : none.count
	return { rows, next: found.next, count, nearness }
}

/** Tags by any spelling, for the whole search and for each of its words. */
async function searchTags(parsed: ParsedSearchText, limit: number): Promise<Hits<TagHit>> {
	const words = [
		...parsed.terms.filter(({ kind }) => kind === 'word' || kind === 'phrase').map(({ text }) => text),
		...parsed.operators.filter(({ kind }) => kind === 'tag').map(({ value }) => value),
	]
	const isOfSomebody = parsed.operators.some(({ kind }) => kind === 'user')
	if (words.length === 0 || isOfSomebody || !appliesToAllKinds(parsed)) return none
	const whole = words.join(' ')
	const others = words.length > 1 ? words.slice(0, MAX_TAG_WORDS) : []
	const asked = [{ text: whole, limit }, ...others.map((text) => ({ text, limit: 1 }))]
	const [found = [], ...ofWords] = await suggestTagsForEach(asked)
	const named = ofWords.flatMap((list, index) => list.filter(({ name }) => isSpelling(others[index] ?? '', name)))
	const rows = presentTags([...found, ...named], whole, others)
	const similar = rows.length === 0 ? similarTerm(whole) : undefined
	const near = similar ? presentTags(await suggestTags(similar.tag, 1), similar.tag, []) : []
	const isWhole = found.some(({ count }) => count > 0) || (rows.length > 0 && rows.length === others.length)
	return {
		rows: (rows.length > 0 ? rows : near).slice(0, limit),
		next: null,
		count: { number: rows.length, atLeast: rows.length === limit },
		nearness: isWhole ? 'all' : rows.length > 0 ? 'some' : near.length > 0 ? 'near' : 'all',
	}
}

/** Words of a search that are looked up as tags. */
const MAX_TAG_WORDS = 5

function isSpelling(word: string, tag: string): boolean {
	return termKey(findTerm(word)?.tag ?? word) === termKey(tag)
}

function presentTags(found: TagSuggestion[], whole: string, words: string[]): TagHit[] {
	const used = new Map(found.filter(({ count }) => count > 0).map((tag) => [tag.name, tag]))
	return [...used.values()].map(({ name, count, isRelated }) => {
		const other = [whole, ...words].find((word) => isSpelling(word, name) && termKey(word) !== termKey(name))
		return { name, count, why: other ? `Also written “${other}”` : isRelated ? 'Related' : '' }
	})
}

const questionFilters = [
	{ label: 'Solved', operator: 'is:solved', isState: true },
	{ label: 'Unsolved', operator: 'is:unsolved', isState: true },
	{ label: 'Unanswered', operator: 'is:unanswered', isState: true },
	{ label: 'In titles', operator: 'in:title', isState: false },
	{ label: 'In comments', operator: 'in:comments', isState: false },
]

const isFilter = (text: string) => questionFilters.some(({ operator }) => operator === text)

/** The operators that are no filters. One that was an alternative to a filter stands alone. */
function withoutFilters(operators: SearchTools['operators']): SearchTools['operators'] {
	return operators
		.map((one, at) => ({ ...one, isAlternative: one.isAlternative && !isFilter(operators[at - 1]?.text ?? '') }))
		.filter(({ text }) => !isFilter(text))
}

/** Filters of questions: each adds an operator to the search, or removes it. */
function filtersOf(parsed: ParsedSearchText): SearchFilter[] {
	return questionFilters.map(({ label, operator, isState }) => {
		const on = parsed.operators.find((one) => one.text.toLowerCase() === operator)
		// A question has one state, so a new one replaces the old one.
		const states = parsed.operators.filter(({ kind, excluded }) => isState && kind === 'is' && !excluded)
		const rest = states.reduce((left, other) => parseSearch(withoutOperator(left, other)), parsed).parts.join(' ')
		return { label, isOn: on !== undefined, search: on ? withoutOperator(parsed, on) : `${rest} ${operator}`.trim() }
	})
}
