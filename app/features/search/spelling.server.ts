import { similarTerm } from '~/features/terms/terms.server.ts'
import { type Operator, type ParsedSearch, parseSearch, type Term } from './parse.ts'
import { type Doubtful, findMeant, type Meant } from './spelling.queries.server.ts'

/** A search whose words all find something. */
export interface Correction {
	parsed: ParsedSearch
	/** For each word that found nothing those that may be meant, the likeliest first; one of each list must be there too. */
	alternatives: string[][]
	/** The search anew, with the word that a question has; null where parts of words were completed only. */
	searchFor: ((title: string) => string) | null
}

/** Parts of a search that are looked at, which titles have seldom more of, and words that one of them may stand for. */
const MAX_DOUBTFUL = 24
const MAX_ALTERNATIVES = 10
/** In a search of so many words the others tell whether a part of a word is one, or a word with a typo. */
const TELLING_WORDS = 3

/**
 * What may have been meant by a search that finds nothing: words, tags and usernames that find nothing by themselves are
 * replaced by those like them that do. Phrases and what is left out stay as they are.
 * @returns null when there is nothing better
 */
export async function correctSearch({ terms, operators, parts }: ParsedSearch): Promise<Correction | null> {
	const doubts = [...terms.map(doubtInTerm), ...operators.map(doubtInOperator)].filter((doubt) => doubt !== null)
	const meant = await findMeant(doubts.slice(0, MAX_DOUBTFUL), termsLike(doubts))
	if (meant.length === 0) return null
	const found = terms.length < TELLING_WORDS ? meant : meant.map(withAlike)
	const mistyped = found.filter((each) => !isCompletion(each))
	const searchFor = (title: string) => parts.map((part) => corrected(part, mistyped, operators, title)).join(' ')
	const parsed = parseSearch(searchFor(''))
	const search = mistyped.length > 0 ? searchFor : null
	// Beside an `or` one word takes the place of another.
	if (terms.some(({ kind }) => kind === 'or')) return { parsed, alternatives: [], searchFor: search }
	const words = found.filter(({ kind }) => kind === 'word')
	const isOpen = (term: Term) => term.kind === 'word' && words.some(({ text }) => text === bare(term.text))
	return {
		parsed: { ...parsed, terms: terms.filter((term) => !isOpen(term)) },
		alternatives: words.map(({ meant }) => meant.slice(0, MAX_ALTERNATIVES)),
		searchFor: search,
	}
}

/** Of a word that is nearly a term that term, which texts may have though no title does. */
function termsLike(doubts: Doubtful[]): { text: string; word: string }[] {
	return doubts.flatMap(({ kind, text }) => {
		const word = kind === 'word' ? similarTerm(text)?.tag : undefined
		return word && !word.includes('-') ? [{ text, word }] : []
	})
}

/** With the words that are spelt like it, of both the first. */
function withAlike(each: Meant): Meant {
	const half = MAX_ALTERNATIVES / 2
	return { ...each, meant: [...each.meant.slice(0, half), ...each.alike.slice(0, half), ...each.meant.slice(half)] }
}

/** Whether all that may be meant holds what was typed. */
function isCompletion({ kind, text, meant }: Meant): boolean {
	return kind === 'word' && meant.every((word) => word.includes(text))
}

function corrected(part: string, found: Meant[], operators: Operator[], title: string): string {
	const operator = operators.find(({ text }) => text === part)
	const kind = operator?.kind ?? 'word'
	const text = operator?.value ?? bare(part)
	const meant = found.find((each) => each.kind === kind && each.text === text)?.meant ?? []
	const likeliest = meant.find((word) => title.toLowerCase().includes(word)) ?? meant[0]
	if (!likeliest || operator?.excluded || (kind === 'word' && likeliest.includes(text))) return part
	return operator ? `${kind}:${likeliest}` : likeliest
}

/** A word without the marks round it. */
function bare(text: string): string {
	return text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}+#]+$/gu, '')
}

function doubtInTerm(term: Term): Doubtful | null {
	const text = bare(term.text)
	const isWord = term.kind === 'word' && /^[\p{L}\p{M}\p{N}'’+#-]{3,40}$/u.test(text)
	return isWord ? { kind: 'word', text } : null
}

function doubtInOperator({ kind, value, excluded }: Operator): Doubtful | null {
	return !excluded && (kind === 'tag' || kind === 'user') ? { kind, text: value } : null
}
