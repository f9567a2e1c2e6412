import { similarTerm } from '~/features/terms/terms.server.ts'
import { type Operator, type ParsedSearch, parseSearch, type SearchPart } from './parse.ts'
import { findWordSuggestions, type PossibleTypo, type WordSuggestion } from './spelling.queries.server.ts'
import { fallbackWriting } from './writings.ts'

/** A corrected search whose words all have results. */
export interface SearchCorrection {
	parsed: ParsedSearch
	/** For each word without results, the possible corrections, likeliest first; one of each list must match. */
	alternatives: string[][]
	/** Builds the corrected search, with the word that a given title contains; null if words were only completed. */
	searchFor: ((title: string) => string) | null
}

/** Parts of a search that are corrected, and corrections for each. */
const MAX_DOUBTFUL = 24
const MAX_ALTERNATIVES = 10
/** In a search of at least this many words, the others decide whether one is incomplete or has a typo. */
const TELLING_WORDS = 3

/**
 * Corrects a search without results: words, tags and usernames without results are replaced by similar ones that have
 * some. Phrases and exclusions stay.
 * @returns null if there is nothing better
 */
export async function correctSearch({ terms, operators, parts }: ParsedSearch): Promise<SearchCorrection | null> {
	const doubts = [...terms.map(doubtInTerm), ...operators.map(doubtInOperator)].filter((doubt) => doubt !== null)
	const meant = withFallbackWritings(terms, await findWordSuggestions(doubts.slice(0, MAX_DOUBTFUL), termsLike(doubts)))
	if (meant.length === 0) return null
	const found = terms.length < TELLING_WORDS ? meant : meant.map(withAlike)
	const mistyped = found.filter((each) => !isCompletion(each))
	const searchFor = (title: string) => parts.map((part) => corrected(part, mistyped, operators, title)).join(' ')
	const parsed = parseSearch(searchFor(''))
	const search = mistyped.length > 0 ? searchFor : null
	// With an `or`, one word replaces another.
	if (terms.some(({ kind }) => kind === 'or')) return { parsed, alternatives: [], searchFor: search }
	const words = found.filter(({ kind }) => kind === 'word')
	const isOpen = (term: SearchPart) => term.kind === 'word' && words.some(({ text }) => text === bare(term.text))
	return {
		parsed: { ...parsed, terms: terms.filter((term) => !isOpen(term)) },
		alternatives: words.map(({ meant }) => meant.slice(0, MAX_ALTERNATIVES)),
		searchFor: search,
	}
}

/** Corrects a word that is nearly a term to that term, as texts may contain it even if no title does. */
function termsLike(doubts: PossibleTypo[]): { text: string; word: string }[] {
	return doubts.flatMap(({ kind, text }) => {
		const word = kind === 'word' ? similarTerm(text)?.tag : undefined
		return word && !word.includes('-') ? [{ text, word }] : []
	})
}

/** Adds other ways to write the words. The index has “toll-free” as one word, and others may write “toll free”. */
function withFallbackWritings(terms: SearchPart[], found: WordSuggestion[]): WordSuggestion[] {
	const words = terms.filter(({ kind, option }) => kind === 'word' && !option).map(({ text }) => bare(text))
	const written = [...new Set(words)].flatMap((text): WordSuggestion[] => {
		const other = fallbackWriting(text)
		if (other === null) return []
		const known = found.find((each) => each.kind === 'word' && each.text === text)
		const [first = text, ...others] = known?.meant ?? []
		return [{ kind: 'word', text, meant: [first, other, ...others], alike: known?.alike ?? [] }]
	})
	const isWritten = ({ kind, text }: WordSuggestion) => kind === 'word' && written.some((each) => each.text === text)
	return [...written.slice(0, MAX_DOUBTFUL), ...found.filter((each) => !isWritten(each))]
}

/** Adds the words with a similar spelling; the first of both kinds come first. */
function withAlike(each: WordSuggestion): WordSuggestion {
	const half = MAX_ALTERNATIVES / 2
	return { ...each, meant: [...each.meant.slice(0, half), ...each.alike.slice(0, half), ...each.meant.slice(half)] }
}

/** Whether every correction contains what was typed. */
function isCompletion({ kind, text, meant }: WordSuggestion): boolean {
	return kind === 'word' && meant.every((word) => word.includes(text))
}

function corrected(part: string, found: WordSuggestion[], operators: Operator[], title: string): string {
	const operator = operators.find(({ text }) => text === part)
	const kind = operator?.kind ?? 'word'
	const text = operator?.value ?? bare(part)
	const meant = found.find((each) => each.kind === kind && each.text === text)?.meant ?? []
	const likeliest = meant.find((word) => title.toLowerCase().includes(word)) ?? meant[0]
	if (!likeliest || operator?.excluded || (kind === 'word' && likeliest.includes(text))) return part
	return operator ? `${kind}:${likeliest}` : likeliest
}

/** A word without surrounding punctuation. */
function bare(text: string): string {
	return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}+#]+$/gu, '')
}

function doubtInTerm(term: SearchPart): PossibleTypo | null {
	const text = bare(term.text)
	const isWord = term.kind === 'word' && /^[\p{L}\p{M}\p{N}'’+#-]{3,40}$/u.test(text)
	return isWord ? { kind: 'word', text } : null
}

function doubtInOperator({ kind, value, excluded }: Operator): PossibleTypo | null {
	return !excluded && (kind === 'tag' || kind === 'user') ? { kind, text: value } : null
}
