import { MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from './directory.paths.ts'

/** One word of a search. */
export interface TypedWord {
	text: string
	/** Whether it stood in quotes: then it is a word and nothing else. */
	isQuoted: boolean
	/** Whether it only holds a sentence together. */
	isFiller: boolean
}

/** Several words that stand side by side, by the numbers of the first and of the one after the last. */
export interface Phrase {
	from: number
	to: number
	/** The words with single spaces. */
	text: string
}

/** Words of a branch or of a skill that are tried together. */
const MAX_PHRASE_WORDS = 5
/** Words of a search that are looked at, those that only hold a sentence together among them. */
const MAX_ALL_WORDS = 2 * MAX_SEARCH_WORDS

/** What sentences are made of and nobody is found by, unless a search has no other words. */
const fillers = new Set(
	'a an and are at by do does for from has have i in is know knows of on or that the to who with'.split(' '),
)

/** Branches by their usual names: who types one of a line means all of it. */
const branchNames = [
	[
		'cse',
		'cs',
		'computer science',
		'computer science and engineering',
		'computer science engineering',
		'computer engineering',
	],
	['it', 'information technology'],
	['ece', 'electronics and communication', 'electronics and communication engineering', 'electronics'],
	['eee', 'electrical and electronics', 'electrical and electronics engineering'],
	['ee', 'electrical', 'electrical engineering'],
	['me', 'mech', 'mechanical', 'mechanical engineering'],
	['ce', 'civil', 'civil engineering'],
	['che', 'chemical', 'chemical engineering'],
	['bt', 'biotech', 'biotechnology'],
	['ae', 'aero', 'aerospace', 'aerospace engineering'],
	['aiml', 'ai ml', 'ai and ml', 'artificial intelligence and machine learning'],
	['aids', 'ai ds', 'artificial intelligence and data science'],
	['ds', 'data science'],
	['math', 'maths', 'mathematics'],
	['stats', 'statistics'],
]

const numerals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
const yearWords = new Set(['year', 'yr'])

/**
 * The words of a search, cut as the database cuts texts into words. “Front-end” is two.
 * @returns at most {@link MAX_SEARCH_WORDS}, besides what only holds a sentence together
 */
export function wordsOf(typed: string): TypedWord[] {
	const text = typed.slice(0, MAX_SEARCH_LENGTH).normalize('NFKC')
	const words = text.split(/["“”]/).flatMap((part, index) =>
		part
			.split(/[^\p{L}\p{M}\p{N}+#]+/u)
			.filter((word) => /[\p{L}\p{N}]/u.test(word))
			.map((word) => {
				const isQuoted = index % 2 === 1
				return { text: word, isQuoted, isFiller: !isQuoted && fillers.has(word.toLowerCase()) }
			}),
	)
	const telling = words.filter(({ isFiller }) => !isFiller)
	const last = telling.length > MAX_SEARCH_WORDS ? telling[MAX_SEARCH_WORDS] : undefined
	return words.slice(0, last ? words.indexOf(last) : MAX_ALL_WORDS)
}

/** Takes the years of study out of a search: “3rd year”, “third year”, “year 3”, “3rd”. */
export function takeYears(words: readonly TypedWord[]): { years: number[]; isYear: boolean[] } {
	const isYear = words.map(() => false)
	const years = new Set<number>()
	const isYearWord = (index: number) => {
		const word = words[index]
		return word !== undefined && !word.isQuoted && yearWords.has(word.text.toLowerCase())
	}
	for (const [index, { text, isQuoted }] of words.entries()) {
		if (isQuoted) continue
		const small = text.toLowerCase()
		const ordinal = Number(/^([1-8])(st|nd|rd|th)$/.exec(small)?.[1] ?? 0)
		// “Third” and “3” are common words; only beside “year” they are one.
		const number = ordinal || numerals.indexOf(small) + 1 || Number(/^[1-8]$/.exec(small)?.[0] ?? 0)
		const beside = [index + 1, index - 1].find((other) => isYearWord(other) && !isYear[other])
		if (number === 0 || (ordinal === 0 && beside === undefined)) continue
		years.add(number)
		isYear[index] = true
		if (beside !== undefined) isYear[beside] = true
	}
	return { years: [...years], isYear }
}

/** Words that stand side by side and may be one name, the longest first. @param isTaken words that mean something else */
export function phrasesOf(words: readonly TypedWord[], isTaken: readonly boolean[]): Phrase[] {
	const phrases: Phrase[] = []
	for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length >= 1; length -= 1)
		for (let from = 0; from + length <= words.length; from += 1) {
			const part = words.slice(from, from + length)
			if (part.some(({ isQuoted }, index) => isQuoted || isTaken[from + index])) continue
			phrases.push({ from, to: from + length, text: part.map(({ text }) => text).join(' ') })
		}
	return phrases
}

/** All usual names of the branch that a text names, itself among them. */
export function namesOfBranch(text: string): string[] {
	const small = text.toLowerCase()
	return [...new Set([small, ...branchNames.filter((names) => names.includes(small)).flat()])]
}

/** Whether a phrase ends the name of a place to study: “Institute of Information Technology” is no branch. */
export function isOfInstitution(words: readonly TypedWord[], { from }: Phrase): boolean {
	const [place, of] = [words[from - 2]?.text.toLowerCase() ?? '', words[from - 1]?.text.toLowerCase()]
	return of === 'of' && ['institute', 'institution', 'college', 'university', 'school', 'academy'].includes(place)
}

/** The longest of these phrases that do not overlap, from the longest on. */
export function withoutOverlaps<Found extends Phrase>(phrases: readonly Found[]): Found[] {
	const kept: Found[] = []
	for (const phrase of phrases.toSorted((one, other) => other.to - other.from - (one.to - one.from)))
		if (kept.every(({ from, to }) => phrase.to <= from || phrase.from >= to)) kept.push(phrase)
	return kept
}
