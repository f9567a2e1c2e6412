import { stem } from 'porter2'
import { collapseWhitespace, escapeHtml, textOfHtml } from '~/lib/html.ts'

/*
 * Highlights the words of a search in its results. PostgreSQL's `ts_headline` costs six times as much: it parses and
 * stems every word, while most words can be skipped by their first letters.
 */

/** A token, as `search_text` (migration 211) splits a text: names with signs, one character of Chinese, Japanese or Korean, or a word. */
const token =
	/c\+\+|[cf]#|\.net(?![\p{L}\p{N}])|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_\u200c\u200d]|-(?=\p{L}))*/giu

/** A {@link token} at a given position. */
const tokenHere = new RegExp(token, 'iuy')

/** Names with signs as `search_text` writes them. */
const signed = new Map([
	['c++', 'cqplusplus'],
	['c#', 'cqsharp'],
	['f#', 'fqsharp'],
	['.net', 'dotqnet'],
])

/**
 * A text as safe, escaped HTML with matches in `<mark>`.
 * @param lexemes the words that were searched for, as in a tsvector of PostgreSQL
 */
export function highlight(text: string, lexemes: readonly string[]): string {
	const whole = collapseWhitespace(text)
	return toHtml(whole, findMatches(whole, lexemes))
}

/**
 * Like {@link highlight}, but only the passage with most of the words; the beginning if nothing matches.
 * @param length maximum characters, without the marks
 */
export function highlightPassage(text: string, lexemes: readonly string[], length = 280): string {
	const whole = collapseWhitespace(text)
	const matches = findMatches(whole, lexemes)
	if (whole.length <= length) return toHtml(whole, matches)
	const best = bestIndex(matches, length)
	const from = startBefore(whole, best)
	const end = whole.length - from <= length ? whole.length : whole.lastIndexOf(' ', from + length)
	const cut = whole.slice(from, end > best ? end : betweenCharacters(whole, from + length))
	const shown = matches
		.filter(({ index }) => index >= from && index < from + cut.length)
		.map(({ index, word }) => ({ index: index - from, word: word.slice(0, from + cut.length - index) }))
	return `${from > 0 ? '… ' : ''}${toHtml(cut, shown)}${from + cut.length < whole.length ? ' …' : ''}`
}

/** The text of HTML that may be truncated anywhere. */
export function textOfTruncatedHtml(html: string): string {
	const tag = html.indexOf('<', html.lastIndexOf('>') + 1)
	if (tag >= 0) return textOfHtml(html.slice(0, tag))
	const entity = html.lastIndexOf('&')
	const isCut = entity >= 0 && /^&[a-z#0-9]*$/.test(html.slice(entity))
	return textOfHtml(isCut ? html.slice(0, entity) : html)
}

/** The number of different words of a search in a text. */
export function countMatches(text: string, lexemes: readonly string[]): number {
	return new Set(findMatches(text, lexemes).map(({ word }) => stem(fold(word)))).size
}

/** A matching word and its position. */
interface Match {
	index: number
	word: string
}

/** A prepared search, as all texts of a page of results are matched against it. */
interface Wanted {
	lexemes: readonly string[]
	words: ReadonlySet<string>
	beginnings: ReadonlySet<string>
	/** The letters that every form of one of the lexemes contains. */
	letters: RegExp
	/** Words that were checked, with the result. */
	decided: Map<string, boolean>
}

/** Cached words per search. */
const MAX_DECIDED = 10_000
/** The search that was prepared last: the texts of a page are highlighted one after the other. */
let last: Wanted | undefined

function wantedBy(lexemes: readonly string[]): Wanted {
	const isLast = last?.lexemes.length === lexemes.length && last.lexemes.every((one, at) => one === lexemes[at])
	if (last && isLast && last.decided.size < MAX_DECIDED) return last
	last = {
		lexemes,
		words: new Set(lexemes),
		beginnings: new Set(lexemes.map(beginning)),
		letters: new RegExp(lexemes.map(lettersOf).map(patternOf).join('|'), 'gi'),
		decided: new Map(),
	}
	return last
}

function findMatches(text: string, lexemes: readonly string[]): Match[] {
	if (lexemes.length === 0) return []
	const { words, beginnings, letters, decided } = wantedBy(lexemes)
	const matches: Match[] = []
	for (const { 0: word, index } of wordsNear(text, letters)) {
		let isWanted = decided.get(word)
		if (isWanted === undefined) {
			isWanted = partsOf(word).some((part) => beginnings.has(beginning(part)) && words.has(stem(part)))
			decided.set(word, isWanted)
		}
		if (isWanted) matches.push({ index, word })
	}
	return matches
}

/** Letters beyond plain English, whose unaccented form cannot be searched in the text directly. */
const accented = /[\u00c0-\u1fff\u2070-\uffff]/

/** The words of a text that may match: without accents, only those around the letters of the search. */
function* wordsNear(text: string, letters: RegExp): Generator<RegExpExecArray> {
	if (accented.test(text)) {
		yield* text.matchAll(token)
		return
	}
	letters.lastIndex = 0
	for (let found = letters.exec(text); found; found = letters.exec(text)) {
		tokenHere.lastIndex = startOfWord(text, found.index)
		const match = tokenHere.exec(text)
		if (match) yield match
		letters.lastIndex = Math.max(match ? match.index + match[0].length : 0, found.index + 1)
	}
}

/** The letters that every form of a lexeme contains: stemming changes only the end. */
function lettersOf(lexeme: string): string {
	for (const [name, written] of signed) if (written === lexeme) return name
	return lexeme.length > 3 ? lexeme.slice(0, -1) : lexeme.slice(0, 2)
}

/** A pattern of letters with optional hyphens between them. */
function patternOf(letters: string): string {
	return [...letters].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')).join('-?')
}

function startOfWord(text: string, index: number): number {
	if (text[index] === '.') return index
	let start = index
	// As in a token, a hyphen joins only what is followed by a letter: not the number in UTF-8.
	while (start > 0 && /^(?:\w|-\p{L})/u.test(text.slice(start - 1, start + 1))) start -= 1
	while (start < index && /[_-]/.test(text[start] ?? '')) start += 1
	return start
}

/** Stemming never changes the first two letters of a word, except a y as the second. */
function beginning(word: string): string {
	return word.slice(0, 2).replace('y', 'i')
}

/** The forms under which the search indexes a word: itself, and its parts between hyphens, underscores and in camelCase. */
function partsOf(word: string): string[] {
	const name = signed.get(word.toLowerCase())
	if (name) return [name]
	const plain = /[^\p{ASCII}]/u.test(word) ? withoutAccents(word) : word
	const parts = plain.split(/[-_]|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
	return [...(parts.length > 1 ? [plain.replaceAll('-', ''), ...parts] : [plain]), word].map(fold)
}

/** Letters without an accent that `search_text` replaces, too. */
const letters: Readonly<Record<string, string>> = {
	ß: 'ss',
	æ: 'ae',
	œ: 'oe',
	ø: 'o',
	ł: 'l',
	đ: 'd',
	ð: 'd',
	þ: 'th',
	ħ: 'h',
	ı: 'i',
	ŋ: 'n',
	ŧ: 't',
}

/** A word as PostgreSQL's `unaccent` writes it. */
function withoutAccents(word: string): string {
	return word
		.normalize('NFKD')
		.replace(/\p{M}+/gu, '')
		.replace(/[ßẞæœøłđðþħıŋŧ]/gi, (letter) => {
			const small = letter.toLowerCase()
			const plain = letters[small] ?? letter
			return letter === small ? plain : plain.toUpperCase()
		})
}

function fold(word: string): string {
	return word.toLowerCase()
}

/** Characters of context before a match. */
const CONTEXT = 80

/** The position of the match with the most different matches near it; 0 without matches. */
function bestIndex(matches: Match[], length: number): number {
	let best = { index: 0, words: 0 }
	for (const [number, { index }] of matches.entries()) {
		const near = matches.slice(number, number + 20).filter((other) => other.index < index + length - CONTEXT)
		const words = new Set(near.map(({ word }) => fold(word))).size
		if (words > best.words) best = { index, words }
	}
	return best.index
}

/** Where the passage of a match begins: a little before it, at a word if one begins there. None does in Chinese or a long address. */
function startBefore(text: string, match: number): number {
	const earliest = match - CONTEXT
	if (earliest <= 0) return 0
	const space = text.indexOf(' ', earliest - 1)
	return space >= 0 && space < match ? space + 1 : betweenCharacters(text, earliest)
}

/** `index`, or the position before it if that is within a character, such as an emoji. */
function betweenCharacters(text: string, index: number): number {
	return /^[\udc00-\udfff]$/.test(text[index] ?? '') ? index - 1 : index
}

function toHtml(text: string, matches: Match[]): string {
	let html = ''
	let done = 0
	for (const { index, word } of matches) {
		html += `${escapeHtml(text.slice(done, index))}<mark>${escapeHtml(word)}</mark>`
		done = index + word.length
	}
	return (html + escapeHtml(text.slice(done))).replaceAll('</mark><mark>', '')
}
