import type { RawBuilder } from 'kysely'
import { isId } from '~/lib/checks.ts'
import { decodeCursor, decodeTimeCursor, invalidCursor, isRankText } from '~/platform/http/cursors.ts'
import { namesOfAlias, stemsOf } from './aliases.server.ts'
import { parseForTexts } from './contractions.server.ts'
import { countMatches, highlight, highlightPassage, textOfTruncatedHtml } from './highlight.ts'
import { partsOf, readScope, type Within } from './operators.server.ts'
import { isOption, normalizePunctuation, type ParsedSearch, parseSearch, type SearchPart } from './parse.ts'
import { conditions, type Selection, scopedRows } from './scope.queries.server.ts'
import {
	anyWordConditions,
	chosenRows,
	commentRows,
	countMatchesAmong,
	findByTitle,
	listLiteral,
	type MatchedRow,
	type SearchWords,
	searchRows,
	withoutWords,
} from './search.queries.server.ts'
import { type CommentMatchView, commentPath, type MatchView, type SearchFallback } from './search.view.ts'
import { rankByWords } from './similar/similar.server.ts'
import { correctSearch, type SearchCorrection } from './spelling.server.ts'
import { otherSpelling } from './writings.ts'

export { highlight, highlightPassage } from './highlight.ts'
export { describeOperators, parseSearch, withoutOperator } from './parse.ts'

/** The results of a search: ranked if it looks for words, otherwise the newest within the operators' restrictions. */
export type SearchResults<Row> = { instead: SearchFallback | null } & (
	| { ranked: true; rows: (Row & MatchedRow & { match: MatchView })[] }
	| { ranked: false; rows: Row[] }
)

interface SearchInput extends Within {
	search: string
	cursor: string | null
	limit: number
	/** Whether all words must match as typed. */
	isExact?: boolean
}

/**
 * Reads one page of a search. Without results, it is repeated with the corrected spelling, then for any of its words.
 * @param selection what to select for each question
 * @throws Invalid for a malformed cursor
 */
export async function findMatches<Row extends { id: number }>(
	selection: Selection<Row>,
	input: SearchInput,
): Promise<SearchResults<Row>> {
	const parsed = await parseForTexts(input.search)
	if (input.cursor !== null) return findLater(selection, parsed, input)
	const exact = await addLiteral(selection, parsed, input, await findAll(selection, parsed, [], input))
	if (input.isExact) return exact
	const titled = await readPasted(selection, parsed, input, exact.rows.length >= input.limit)
	if (titled) {
		const others = exact.ranked ? exact.rows.filter(({ id }) => id !== titled.id) : []
		return { ranked: true, rows: [titled, ...others].slice(0, input.limit), instead: null }
	}
	const count = exact.rows.length
	const wantsMore = count > 0 && count < FEW && isPlain(parsed) && !hasTitled(exact, parsed.terms)
	if (count > 0 && !wantsMore) return exact
	const correction = wantsMore ? null : await correctSearch(parsed)
	if (correction) {
		const corrected = await findAll(selection, correction.parsed, correction.alternatives, input)
		if (corrected.rows.length > 0) return showCorrected(selection, parsed, correction, input, corrected)
	}
	const unparted = correction?.alternatives.map((words) => words.filter((word) => !word.includes(' '))) ?? []
	const alternatives = unparted.flatMap((words) => words.slice(0, MAX_MEANT))
	const any = await findAny(selection, correction?.parsed ?? parsed, alternatives, input)
	const others = any.filter(({ id }) => !exact.rows.some((row) => row.id === id))
	if (others.length === 0 || !exact.ranked) return exact
	return {
		ranked: true,
		rows: [...exact.rows, ...others].slice(0, input.limit - 1),
		instead: { kind: 'any', exact: count },
	}
}

/** A page after the first one, without the question whose full title put it first there. */
async function findLater<Row extends { id: number }>(
	selection: Selection<Row>,
	parsed: ParsedSearch,
	input: SearchInput,
): Promise<SearchResults<Row>> {
	// The first page was full, or there would be no other.
	const except = input.isExact ? null : await findPasted(parsed, input, true)
	const rest = { ...input, except }
	const exact = await addLiteral(selection, parsed, rest, await findAll(selection, parsed, [], rest))
	if (input.isExact || exact.rows.length > 0) return exact
	const correction = await correctSearch(parsed)
	if (!correction) return exact
	const find = (of: SearchInput) => findAll(selection, correction.parsed, correction.alternatives, of)
	const search = correctedSearch(correction, await find({ ...input, cursor: null, limit: 1 }))
	const first = search === undefined ? null : await findPasted(parseSearch(search), { ...input, search }, true)
	const corrected = await find({ ...input, except: first })
	if (corrected.rows.length === 0) return exact
	return { ...corrected, instead: insteadOf(parsed, search) }
}

/** How the corrected search is written, with the words of the title that it finds first; undefined if words were only completed. */
function correctedSearch({ searchFor }: SearchCorrection, found: SearchResults<object>): string | undefined {
	return searchFor?.(found.ranked ? (found.rows[0]?.matched_title ?? '') : '')
}

function insteadOf(typed: ParsedSearch, search: string | undefined): SearchFallback | null {
	return search === undefined || search === typed.parts.join(' ') ? null : { kind: 'corrected', search }
}

/** The results of a corrected search, with the correction; if there are many, a question whose full title was mistyped comes first. */
async function showCorrected<Row extends { id: number }>(
	selection: Selection<Row>,
	typed: ParsedSearch,
	correction: SearchCorrection,
	input: SearchInput,
	corrected: SearchResults<Row>,
): Promise<SearchResults<Row>> {
	const search = correctedSearch(correction, corrected)
	const instead = insteadOf(typed, search)
	if (search === undefined || instead === null) return { ...corrected, instead }
	const isFull = corrected.rows.length >= input.limit
	const titled = isFull ? await readPasted(selection, parseSearch(search), { ...input, search }, true) : null
	if (!titled || !corrected.ranked) return { ...corrected, instead }
	const others = corrected.rows.filter(({ id }) => id !== titled.id)
	return { ranked: true, rows: [titled, ...others].slice(0, input.limit), instead }
}

/** The phrases and options of a search; literal matches of them rank highest. Signs alone would match every text. */
function literalTexts(terms: SearchPart[]): string[] {
	const texts = terms.flatMap(({ kind, text, option }) => (kind === 'phrase' ? [text] : (option ?? [])))
	return texts.filter((text) => /[\p{L}\p{N}]/u.test(text))
}

/** Results with a literal phrase have at least this rank: the phrase counts 1, everything else less than 1. */
const LITERAL_RANK = 1
/** The rank of questions with a literal phrase where no others are found. The next page continues with these. */
const ALONE_RANK = 1_000
/** This many results are “100+”. */
const MANY_FOUND = 101

/**
 * Appends older questions with literal matches of the phrases after the ranked ones that have them, as only the newest are ranked. For a
 * phrase without results these may be new: in the index, the address of a link is among the words around it.
 */
async function addLiteral<Row extends { id: number }>(
	selection: Selection<Row>,
	{ terms, operators }: ParsedSearch,
	{ cursor, limit, ...within }: SearchInput,
	exact: SearchResults<Row>,
): Promise<SearchResults<Row>> {
	const phrases = literalTexts(terms).filter((text) => /\s/.test(text) || isOption(text))
	const isOpen = terms.every(({ kind }) => kind === 'word' || kind === 'phrase') && !partsOf(operators)
	if (phrases.length === 0 || !isOpen || !exact.ranked) return exact
	const after = rankCursor(cursor)
	const last = after === null ? null : Number(after.rank)
	if (last !== null && last < LITERAL_RANK) return exact
	const literal = exact.rows.filter(({ rank }) => Number(rank) >= LITERAL_RANK)
	if (literal.length >= limit) return exact
	const scope = await readScope(operators, within)
	if (scope === null) return exact
	const words = terms.map(({ source }) => source).join(' ')
	const before = after !== null && (last === LITERAL_RANK || last === ALONE_RANK) ? after.id : null
	const wanted = { words, phrases, before, limit: limit - literal.length }
	const found = last === ALONE_RANK ? [] : await listLiteral(scope, { ...wanted, isOnly: false })
	const isOnly = last === ALONE_RANK || (last === null && found.length + exact.rows.length === 0)
	const ids = isOnly ? await listLiteral(scope, { ...wanted, limit: Math.max(limit, MANY_FOUND), isOnly }) : found
	if (ids.length === 0) return exact
	const rows = await present(await chosenRows(selection, ids.slice(0, wanted.limit), phrases.join(' ')))
	const older = rows.map((row) => ({ ...row, rank: String(isOnly ? ALONE_RANK : LITERAL_RANK), found: ids.length }))
	const others = exact.rows.slice(literal.length)
	return { ...exact, rows: [...literal, ...older, ...others].slice(0, limit) }
}

/** Fewer results than this are followed by those with some of the words. */
const FEW = 3

/** Whether a title contains all the words, each in one of its ways: then it is what the reader was looking for. */
function hasTitled(found: SearchResults<object>, terms: SearchPart[]): boolean {
	const named = namedTwice(terms)
	const once = new Set(terms.flatMap((term) => (named.some((each) => each.term === term) ? [] : stemsOf(term.text))))
	const ways = named.map(({ term, others }) => [term.text, ...others].map(stemsOf))
	const ofWays = new Set(ways.flat(2).filter((lexeme) => !once.has(lexeme)))
	const hasAll = (title: string, lexemes: string[]) => countMatches(title, lexemes) >= lexemes.length
	const isTitled = ({ matched_title: title, lexemes }: MatchedRow) => {
		const others = lexemes.filter((lexeme) => !ofWays.has(lexeme))
		return hasAll(title, others) && ways.every((each) => each.some((way) => hasAll(title, way)))
	}
	return found.ranked && found.rows.some(isTitled)
}

/** Whether terms only exclude words, or there are none. */
const wantsNoWord = (terms: SearchPart[]): boolean => terms.every(({ kind }) => kind === 'without')

/** Whether a search consists of three or more plain words. */
function isPlain({ terms, operators }: ParsedSearch): boolean {
	return operators.length === 0 && terms.length >= FEW && terms.every(({ kind }) => kind === 'word')
}

/** Completions of an incomplete word that are added to a search for any words. */
const MAX_MEANT = 3

/**
 * The questions that match everything.
 * @param alternatives lists of words; one of each list must match as well
 */
async function findAll<Row extends { id: number }>(
	selection: Selection<Row>,
	{ terms, operators }: ParsedSearch,
	alternatives: string[][],
	{ cursor, limit, ...within }: SearchInput,
): Promise<SearchResults<Row>> {
	const scope = await readScope(operators, within)
	if (scope === null) return { ranked: false, rows: [], instead: null }
	const typed = terms.map(({ source }) => source).join(' ')
	if (alternatives.length === 0 && wantsNoWord(terms)) {
		if (typed !== '') scope.filter = withoutWords(typed)
		const rows = await scopedRows(selection, { ...scope, cursor: cursor ? decodeTimeCursor(cursor) : null, limit })
		return { ranked: false, rows, instead: null }
	}
	const wanted = wantedOf({ terms, operators }, alternatives)
	const rows = await searchRows(selection, { ...scope, wanted, cursor: rankCursor(cursor), limit })
	return { ranked: true, rows: await present(rows), instead: null }
}

/** Words that are searched for in two ways: each is another part of the statement. */
const MAX_NAMED_TWICE = 3

/**
 * The words that are written in another way, too, each with that: British or American, or the name of a term for its alias. With an `or`, a
 * word belongs to a side of it, and has none.
 */
function namedTwice(terms: SearchPart[]): { term: SearchPart; others: string[] }[] {
	if (terms.some(({ kind }) => kind === 'or')) return []
	const named = terms.flatMap((term) => {
		if (term.kind !== 'word' || term.option !== undefined) return []
		const word = term.text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
		const other = otherSpelling(word)
		const others = other === null ? namesOfAlias(word) : [other]
		return others.length === 0 ? [] : [{ term, others }]
	})
	return named.slice(0, MAX_NAMED_TWICE)
}

/** A name in the syntax of `websearch_to_tsquery`: its words side by side. */
const sideBySide = (name: string) => (/^\p{Script=Latin}+$/u.test(name) ? name : `"${name.replaceAll('"', ' ')}"`)

/** What a search looks for. @param alternatives as in {@link findAll} */
function wantedOf(
	{ terms, operators }: Pick<ParsedSearch, 'terms' | 'operators'>,
	alternatives: string[][],
): SearchWords {
	const named = namedTwice(terms)
	const once = terms.filter((term) => !named.some((each) => each.term === term))
	const lists = [...named.map(({ term, others }) => [term.source, ...others.map(sideBySide)]), ...alternatives]
	return {
		words: [once.map(({ source }) => source).join(' '), ...lists.map((each) => each.join(' or '))].filter(Boolean),
		typed: terms.flatMap(({ source }) => source.split(/\s+/)).length + alternatives.length,
		spelled: named.flatMap(({ others }) => [...new Set(others.flatMap(stemsOf))]).length,
		phrases: literalTexts(terms),
		parts: partsOf(operators),
	}
}

/** The questions that have any of the words, those with the rarest first; without exclusions. */
async function findAny<Row extends { id: number }>(
	selection: Selection<Row>,
	{ terms, operators }: ParsedSearch,
	alternatives: string[],
	{ limit, ...within }: SearchInput,
) {
	const scope = await readScope(operators, within)
	const wanted = terms.filter(({ kind }) => kind === 'word' || kind === 'phrase').map(({ text }) => text)
	const text = [...wanted, ...alternatives].join(' ')
	// A single word without results leaves no other word to search for.
	if (scope === null || !/\S\s+\S/.test(text)) return []
	const without = terms.filter(({ kind }) => kind === 'without').map(({ source }) => source)
	const { best } = await rankByWords(text, '', anyWordConditions(scope, text, without, partsOf(operators)))
	const ids = best.slice(0, limit - 1).map(({ id }) => id)
	return ids.length > 0 ? present(await chosenRows(selection, ids, text)) : []
}

/**
 * How many of some questions match everything, at most 100. Typos are not corrected, nor are other words tried.
 * @param of the ids of the questions, as SQL, and the member to notify; their own ones, and of members whom they block, do not count
 */
export async function countNewMatches(
	search: string,
	of: { among: RawBuilder<number>; reader: number },
): Promise<number> {
	const { terms, operators } = await parseForTexts(search)
	const scope = await readScope(operators, {})
	if (scope === null) return 0
	const wanted = wantsNoWord(terms) ? [] : wantedOf({ terms, operators }, []).words
	if (terms.length > 0 && wanted.length === 0) scope.filter = withoutWords(terms.map(({ source }) => source).join(' '))
	return countMatchesAmong(scope, wanted, partsOf(operators), of)
}

/** Characters of a title with another meaning in a search. */
const meansMore = /"|(^|[^\p{L}\p{N}])-\S|\bor\b|\S:\S/iu

/** Words joined by punctuation. */
const isJoined = /\w[^\w\s]+\w/

/**
 * The titles that a pasted text may contain, likeliest first: the text itself, and without what other sites add to a title, such as “Re:”,
 * the name of the site after a dash, or a tag before one.
 */
function titlesIn(search: string): string[] {
	const text = normalizePunctuation(search).replace(/\s+/g, ' ').trim()
	const bare = text.replace(/^(?:(?:re|fwd?|aw|wg): ?)+/i, '')
	const parts = bare.split(/ [-–—|·] /)
	const titles = [parts, parts.slice(0, -1), parts.slice(1), parts.slice(1, -1)].map((each) => each.join(' - '))
	return [...new Set([text, ...titles.filter((title) => /\S\s+\S/.test(title))])]
}

/**
 * The id of the question whose full title was pasted, for titles that the search would misread in part, that have too many
 * matches, or that may contain more than the stored title.
 */
async function findPasted(
	{ terms, parts }: ParsedSearch,
	{ search, ...within }: SearchInput,
	isFull: boolean,
): Promise<number | null> {
	const titles = titlesIn(search)
	if (wantsNoWord(terms) || (parts.length < 2 && !isJoined.test(search))) return null
	if (!isFull && titles.length < 2 && !meansMore.test(normalizePunctuation(search))) return null
	const scope = await readScope([], within)
	return scope && findByTitle(titles, conditions(scope))
}

/** The question of {@link findPasted}, as the first result. */
async function readPasted<Row extends { id: number }>(
	selection: Selection<Row>,
	parsed: ParsedSearch,
	input: SearchInput,
	isFull: boolean,
) {
	const id = await findPasted(parsed, input, isFull)
	if (id === null) return null
	const [row] = await present(await chosenRows(selection, [id], input.search))
	return row ? { ...row, rank: '9' } : null
}

function rankCursor(text: string | null): { rank: string; id: number } | null {
	if (text === null) return null
	const [rank, id] = decodeCursor(text, 2)
	if (!isRankText(rank) || !isId(id)) throw invalidCursor()
	return { rank, id }
}

/** The rows of a page, with highlighted matches. */
async function present<Row extends MatchedRow>(rows: Row[]): Promise<(Row & { match: MatchView })[]> {
	const comments = await commentMatches(rows)
	return rows.map((row) => ({
		...row,
		match: {
			commentMatch: comments.get(row.id),
			titleHtml: highlight(row.matched_title, row.lexemes),
			excerptHtml: highlightPassage(textOfTruncatedHtml(row.description_start), row.lexemes),
		},
	}))
}

/** For questions that match only in comments, the comment with most of the words, by question id. */
async function commentMatches(rows: MatchedRow[]): Promise<Map<number, CommentMatchView>> {
	const ids = rows.filter((row) => row.by_comments).map(({ id }) => id)
	const lexemes = rows[0]?.lexemes ?? []
	const found = new Map<number, CommentMatchView & { words: number }>()
	for (const row of ids.length > 0 ? await commentRows(lexemes, ids) : []) {
		const text = textOfTruncatedHtml(row.body_start)
		const words = countMatches(text, lexemes)
		if (words <= (found.get(row.question_id)?.words ?? 0)) continue
		const html = highlightPassage(text, lexemes)
		found.set(row.question_id, { url: commentPath(row.comment_id), author: row.name, html, words })
	}
	return new Map([...found].map(([id, { words: _, ...match }]) => [id, match]))
}
