import { MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS } from './directory.paths.ts'

/** One word of a search. */
export interface TypedWord {
	text: string
	/** What stands between it and the word before: a blank, or the marks that join the two. */
	before: string
	/** Whether it stood in quotes: then it is a word and nothing else. */
	isQuoted: boolean
	/** Whether it only holds a sentence together. */
	isFiller: boolean
	/** Whether it may say what everybody here is, as “developers” does: who has it comes first, and nobody needs to. */
	isSoft: boolean
}

/** Several words that stand side by side, by the numbers of the first and of the one after the last. */
export interface Phrase {
	from: number
	to: number
	/** The words with single spaces. */
	text: string
	/** As it was typed, with the marks between its words: “Let’s Encrypt”. */
	written: string
}

/** Words of a branch or of a skill that are tried together. */
const MAX_PHRASE_WORDS = 5
/** Words of a search that are looked at, those that only hold a sentence together among them. */
const MAX_ALL_WORDS = 2 * MAX_SEARCH_WORDS

/** What sentences are made of and nobody is found by, unless a search has no other words. */
const fillers = new Set(
	`a an and any anybody anyone are at by do does find for from has have i in is know knowing knows looking near need of on or
	somebody someone that the to use uses using want who whose with`.split(/\s+/),
)

/** What everybody is whom a search may find, and what is said beside it but is a name, too. */
const soft = new Set(
	`can coder coders dev developer developers devs engineer engineers expert experts folk folks good guy guys me member members my
	people person programmer programmers student students`.split(/\s+/),
)

/** Branches by their usual names, those with “and” also without: who types one of a line means all of it. */
const branchNames = withoutAnd([
	[
		'cse',
		'cs',
		'computer science',
		'computer science and engineering',
		'computer science engineering',
		'computer engineering',
		'comp sci',
		'compsci',
	],
	['it', 'information technology'],
	[
		'ece',
		'entc',
		'extc',
		'e tc',
		'electronics and communication',
		'electronics and communication engineering',
		'electronics and telecommunication',
		'electronics and telecommunication engineering',
		'electronics engineering',
		'electronics',
	],
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
])

const numerals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
const romans = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii']
const yearWords = new Set(['year', 'years', 'yr', 'yrs'])
const semesterWords = new Set(['sem', 'semester', 'sems', 'semesters'])
/** The year in which most studies here end. */
const FINAL_YEAR = 4
/** What a year of passing may stand beside. */
const passingWords = new Set(['batch', 'class', 'graduating', 'pass', 'passing', 'passout'])

function withoutAnd(lines: string[][]): string[][] {
	return lines.map((names) => [...new Set(names.flatMap((name) => [name, name.replaceAll(' and ', ' ')]))])
}

/**
 * The words of a search, cut as the database cuts texts into words. “Front-end” is two, “who’s” is “who”, and “’28” is 2028.
 * @returns at most {@link MAX_SEARCH_WORDS}, besides what only holds a sentence together
 */
export function wordsOf(typed: string): TypedWord[] {
	const text = typed.slice(0, MAX_SEARCH_LENGTH).normalize('NFKC')
	const words = text.split(/["“”]/).flatMap((part, index) => wordsIn(part, index % 2 === 1))
	const telling = words.filter(({ isFiller }) => !isFiller)
	const last = telling.length > MAX_SEARCH_WORDS ? telling[MAX_SEARCH_WORDS] : undefined
	return words.slice(0, last ? words.indexOf(last) : MAX_ALL_WORDS)
}

/** A word; the dot of “.NET” is a part of it, as the vocabulary tells it from “net”. */
const word = /(?:(?<![^\s])\.(?=\p{L}))?[\p{L}\p{M}\p{N}+#]*[\p{L}\p{N}][\p{L}\p{M}\p{N}+#]*/gu

/** “’28” */
const shortYear = /(?<![\p{L}\p{N}])['’‘](\d\d)(?![\p{L}\p{N}])/gu

function wordsIn(part: string, isQuoted: boolean): TypedWord[] {
	const text = isQuoted ? part : part.replace(shortYear, (_, digits: string) => `${digits < '50' ? 20 : 19}${digits}`)
	let end = 0
	return [...text.matchAll(word)].flatMap(({ 0: found, index }) => {
		const before = text.slice(end, index)
		const small = found.toLowerCase()
		if (!isQuoted && small === 's' && /^['’]$/.test(before)) return []
		end = index + found.length
		const isFiller = !isQuoted && fillers.has(small)
		return { text: found, before, isQuoted, isFiller, isSoft: !isQuoted && soft.has(small) }
	})
}

/** What words say of when somebody studies. */
interface Studies {
	/** Years of study. */
	years: number[]
	/** Of each word whether it says one of them. */
	isYear: boolean[]
	/** Of each word the year of passing that it says. */
	passing: (number | null)[]
}

/**
 * Takes the years out of a search: “3rd year”, “third year”, “III year”, “year 3”, “3rd”, “final year”, “5th sem”. A year of passing stays
 * a word, without what it stands beside: “batch of 2028”, “’28”.
 */
export function takeYears(words: readonly TypedWord[]): Studies {
	const isYear = words.map(() => false)
	const years = new Set<number>()
	const small = words.map(({ text, isQuoted }) => (isQuoted ? '' : text.toLowerCase()))
	for (const [index, text] of small.entries()) {
		if (text === '') continue
		const isUnit = (at: number, units: ReadonlySet<string>) => units.has(small[at] ?? '') && !isYear[at]
		const besideOf = (units: ReadonlySet<string>) => [index + 1, index - 1].find((at) => isUnit(at, units))
		const semester = besideOf(semesterWords)
		const beside = semester ?? besideOf(yearWords)
		const number = numberOf(text, beside === index + 1)
		if (number === null || (beside === undefined && !/^[1-8](st|nd|rd|th)$/.test(text))) continue
		const isBeforeFinal = text === 'final' && small[index - 1] === 'pre'
		years.add(semester !== undefined ? Math.ceil(number / 2) : isBeforeFinal ? number - 1 : number)
		for (const at of [index, beside, isBeforeFinal ? index - 1 : undefined]) if (at !== undefined) isYear[at] = true
	}
	const passing = words.map(({ text, isQuoted }) => (!isQuoted && /^(?:19|20)\d\d$/.test(text) ? Number(text) : null))
	if (passing.some((year) => year !== null))
		for (const [index, text] of small.entries()) if (passingWords.has(text)) isYear[index] = true
	return { years: [...years], isYear, passing }
}

/** The number that a word is, which only some are by themselves: “third”, “iii” and “3” are common words. */
function numberOf(text: string, isBeforeUnit: boolean): number | null {
	const digits = /^([1-8])(?:st|nd|rd|th)?$/.exec(text)?.[1]
	if (digits) return Number(digits)
	const place = numerals.includes(text) ? numerals.indexOf(text) : isBeforeUnit ? romans.indexOf(text) : -1
	if (place >= 0) return place + 1
	return text === 'final' && isBeforeUnit ? FINAL_YEAR : null
}

/** Words that stand side by side and may be one name, the longest first. @param isTaken words that mean something else */
export function phrasesOf(words: readonly TypedWord[], isTaken: readonly boolean[]): Phrase[] {
	const phrases: Phrase[] = []
	for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length >= 1; length -= 1)
		for (let from = 0; from + length <= words.length; from += 1) {
			const part = words.slice(from, from + length)
			if (part.some(({ isQuoted }, index) => isQuoted || isTaken[from + index])) continue
			const text = part.map((word) => word.text).join(' ')
			const written = part.map((word, index) => (index > 0 ? word.before : '') + word.text).join('')
			phrases.push({ from, to: from + length, text, written })
		}
	return phrases
}

/** All usual names of the branch that a text names, itself among them. */
export function namesOfBranch(text: string): string[] {
	const small = text.toLowerCase().replace(/\beng(g|ng)\b/g, 'engineering')
	const joined = small.replaceAll(' ', '')
	const isName = (name: string) => name.replaceAll(' ', '') === joined
	return [...new Set([small, ...branchNames.filter((names) => names.some(isName)).flat()])]
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
