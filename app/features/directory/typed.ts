import { MAX_MEMBER_SEARCH_LENGTH, MAX_SEARCH_WORDS } from './directory.paths.ts'

/** One word of a search. */
export interface TypedWord {
	text: string
	/** The text between it and the previous word: a space, or the punctuation that joins the two. */
	before: string
	/** Whether it was quoted, and so is an ordinary word. */
	isQuoted: boolean
	/** Whether it only serves the grammar of a sentence, as an article does. */
	isFiller: boolean
	/** Whether it may describe everybody here, as “developers” does: then it is optional, and members who have it come first. */
	isSoft: boolean
	/** Whether it accompanies the subject of a search, as “mentor” does: then it is optional, too, where members who have it come first. */
	isContext: boolean
}

/** Adjacent words, by the index of the first and the one after the last. */
export interface Phrase {
	from: number
	to: number
	/** The words with single spaces. */
	text: string
	/** As typed, with the punctuation between its words: “Let’s Encrypt”. */
	written: string
}

/** A word to look up. */
export interface LookupWord {
	position: number
	text: string
	/** Whether it was joined from two words, or was not typed: then it does not stand for other words that begin with it. */
	isJoined: boolean
	/** Whether it stands for the names that begin with it. Other letters are words. */
	isInitial?: boolean
}

/** Words of a branch or of a skill that are tried together. */
const MAX_PHRASE_WORDS = 5
/** Words of a search that are read, including fillers. */
const MAX_ALL_WORDS = 2 * MAX_SEARCH_WORDS

/** Words of sentences by which nobody is found, unless a search has no others. */
const fillers = new Set(
	`a an and any anybody anyone are at by do does find for from has have i in is know knowing knows looking near need of on or please
	somebody someone that the to use uses using want who whose with`.split(/\s+/),
)
/** Where “me” in small letters is a branch: at the beginning, after a year, and before the word for it. */
const branchAfter = /^(?:|[1-8](?:st|nd|rd|th)?|years?|yrs?|sem(?:ester)?s?)$/
const branchBefore = /^\s+(?:branch|department|dept|stream)\b/i

/** Words that describe everybody whom a search may find, and words that accompany them but are also names. */
const soft = new Set(
	`branch can coder coders department dept dev developer developers devs engineer engineers expert experts folk folks good guy guys me
	member members my people person programmer programmers stream student students`.split(/\s+/),
)
const context = new Set(
	`doubt doubts enthusiast experience experienced hackathon help intern knowledge learn mentor mentors partner skill skilled skills stuck
	teach teammate teammates tutor tutors user users`.split(/\s+/),
)

/**
 * The words of a search, split as the database splits texts. “Front-end” is two, “who’s” is “who”, and “’28” is 2028.
 * @returns at most {@link MAX_SEARCH_WORDS}, not counting fillers
 */
export function wordsOf(typed: string): TypedWord[] {
	const text = typed.slice(0, MAX_MEMBER_SEARCH_LENGTH).normalize('NFKC')
	const words = text.split(/["“”]/).flatMap((part, index) => wordsIn(part, index % 2 === 1))
	const telling = words.filter(({ isFiller }) => !isFiller)
	const last = telling.length > MAX_SEARCH_WORDS ? telling[MAX_SEARCH_WORDS] : undefined
	return words.slice(0, last ? words.indexOf(last) : MAX_ALL_WORDS)
}

/** A word; the dot of “.NET” belongs to it, as the vocabulary distinguishes it from “net”. */
const word = /(?:(?<![^\s])\.(?=\p{L}))?[\p{L}\p{M}\p{N}+#]*[\p{L}\p{N}][\p{L}\p{M}\p{N}+#]*/gu

/** “’28” and “CSE’28”, not “O’25”; “3rdyear” and “sem5”, not “5years” of experience or part of a username. “2k27” is 2027. */
const shortYear = /(?<!\p{N}|\b\p{L})['’‘](\d\d)(?![\p{L}\p{N}])/gu
const joinedYear =
	/(?<![\p{L}\p{N}@_.])(?!\d(?:years|yrs))(?:([1-8](?:st|nd|rd|th)?)(years?|yrs?|sem(?:ester)?s?)|(year|yr|sem(?:ester)?)([1-8]))(?![\p{L}\p{N}])/giu

function wordsIn(part: string, isQuoted: boolean): TypedWord[] {
	const years = part
		.replace(shortYear, (_, digits: string) => ` ${digits < '50' ? 20 : 19}${digits}`)
		.replace(/\b2k(\d\d)\b/gi, '20$1')
	const text = isQuoted ? part : years.replace(joinedYear, '$1$3 $2$4')
	let end = 0
	let last = ''
	return [...text.matchAll(word)].flatMap(({ 0: found, index }) => {
		const before = text.slice(end, index)
		const small = found.toLowerCase()
		if (!isQuoted && small === 's' && /^['’]$/.test(before)) return []
		end = index + found.length
		const isMe = small === 'me' && found !== 'ME' && !branchAfter.test(last) && !branchBefore.test(text.slice(end))
		last = small
		const isFiller = !isQuoted && (fillers.has(small) || isMe)
		const isContext = !isQuoted && context.has(small)
		return { text: found, before, isQuoted, isFiller, isSoft: !isQuoted && soft.has(small), isContext }
	})
}

/** Words as they were typed, with the punctuation between them, so that they are parsed the same way again. */
export function typedAgain(words: readonly TypedWord[]): string {
	const text = words.map(({ text, before, isQuoted }) =>
		isQuoted ? ` "${text}"` : `${/\S/.test(before) ? before : ' '}${text}`,
	)
	return text.join('').trim()
}

/** Adjacent words that may be one name, longest first. @param isTaken words with another meaning */
export function phrasesOf(words: readonly TypedWord[], isTaken: readonly boolean[]): Phrase[] {
	const phrases: Phrase[] = []
	for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length >= 1; length -= 1)
		for (let from = 0; from + length <= words.length; from += 1) {
			const part = words.slice(from, from + length)
			if (
				part.some(({ isQuoted }, index) => isQuoted || isTaken[from + index]) ||
				part.every(({ isFiller, text }) => isFiller && text !== text.toUpperCase())
			)
				continue
			const text = part.map((word) => word.text).join(' ')
			const written = part.map((word, index) => (index > 0 ? word.before : '') + word.text).join('')
			phrases.push({ from, to: from + length, text, written })
		}
	return phrases
}

/** The places of the words that are no filters; those of fillers only where the whole search consists of them. */
export function numbersOfRest(words: readonly TypedWord[], isFilter: readonly boolean[]): number[] {
	const left = words.flatMap((_, index) => (isFilter[index] ? [] : [index]))
	const telling = left.filter((index) => !words[index]?.isFiller)
	return telling.length > 0 || left.length < words.length ? telling : left
}

/** Whether a phrase ends the name of an institution: “Institute of Information Technology” is not a branch. */
export function isOfInstitution(words: readonly TypedWord[], { from }: Phrase): boolean {
	const [place, of] = [words[from - 2]?.text.toLowerCase() ?? '', words[from - 1]?.text.toLowerCase()]
	return of === 'of' && ['institute', 'institution', 'college', 'university', 'school', 'academy'].includes(place)
}

/** The longest of these phrases that do not overlap. */
export function withoutOverlaps<Found extends Phrase>(phrases: readonly Found[]): Found[] {
	const kept: Found[] = []
	for (const phrase of phrases.toSorted((one, other) => other.to - other.from - (one.to - one.from)))
		if (kept.every(({ from, to }) => phrase.to <= from || phrase.from >= to)) kept.push(phrase)
	return kept
}

/** The words that differ from a word by one wrong, added or swapped letter. */
export function variantsOf(word: string): string[] {
	const letters = [...'abcdefghijklmnopqrstuvwxyz']
	const variants = [...word, ''].flatMap((_, at) => {
		const [before, after] = [word.slice(0, at), word.slice(at)]
		const swapped = `${before}${after[1] ?? ''}${after[0] ?? ''}${after.slice(2)}`
		return [swapped, ...letters.flatMap((letter) => [before + letter + after, before + letter + after.slice(1)])]
	})
	return [...new Set(variants)].filter((variant) => variant !== word)
}

/** Variants of three-letter words with one wrong, added or swapped letter: the typo index only has longer words. */
export function shortTypos(rest: readonly TypedWord[]): LookupWord[] {
	if (rest.length < 2) return []
	return rest.flatMap(({ text }, position) =>
		/^[a-z]{3}$/i.test(text) ? variantsOf(text.toLowerCase()).map((text) => ({ position, text, isJoined: true })) : [],
	)
}
