import type { MessageHit } from '../inbox.view.ts'
/** Normalizes for comparison: lower case without accents. */
export function foldText(text: string): string {
	return withoutAccents(text).toLowerCase()
}

/** Removes accents. */
function withoutAccents(text: string): string {
	return text
		.normalize('NFD')
		.replace(/[\u0300-\u036f]/g, '')
		.normalize('NFC')
}

/** What separates words in `without_accents` and in PostgreSQL's parser: spaces, signs beyond ASCII, an apostrophe, a backslash. */
const separators = /[\s'\\]+|[^\p{ASCII}\p{L}\p{M}\p{N}\u200c\u200d]+/u

/** Splits a search into words, without surrounding punctuation. */
export function searchWordsOf(search: string): string[] {
	const words = foldText(search)
		.split(separators)
		.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}\u200c\u200d]+$/gu, ''))
		.filter((word) => word !== '')
	return [...new Set(words)].slice(0, 12)
}

/** Whether a search contains a phrase or an excluded word. */
export function hasSearchOperators(search: string): boolean {
	return search.includes('"') || /(^|\s)-\S/.test(search)
}

/** Shorter words are similar to too many others. */
const MIN_WORD_LENGTH = 4

/** The maximum number of typos in one word. */
export const MAX_TYPING_ERRORS = 2

/** How many letters may be wrong, missing, additional or swapped with their neighbour. */
function mistakesIn(word: string): number {
	if (word.length < MIN_WORD_LENGTH) return 0
	return word.length < 8 ? 1 : MAX_TYPING_ERRORS
}

/** The known words most similar to this one, nearest first, at most eight. */
export function similarWords(word: string, known: Iterable<string>): string[] {
	const most = mistakesIn(word)
	const near: { other: string; distance: number }[] = []
	for (const other of most > 0 ? known : []) {
		if (Math.abs(other.length - word.length) > most || other.length < MIN_WORD_LENGTH) continue
		const distance = distanceOf(word, other, most)
		if (distance > 0 && distance <= most) near.push({ other, distance })
	}
	near.sort((one, two) => one.distance - two.distance || (one.other < two.other ? -1 : 1))
	return near.slice(0, 8).map(({ other }) => other)
}

/** The edit distance of two words with transpositions (optimal string alignment). Stops counting above `most`. */
function distanceOf(one: string, two: string, most: number): number {
	let [before, last] = [[] as number[], Array.from({ length: two.length + 1 }, (_, index) => index)]
	for (let row = 1; row <= one.length; row += 1) {
		const current = [row]
		for (let column = 1; column <= two.length; column += 1) {
			const same = one[row - 1] === two[column - 1]
			let least = Math.min(
				(last[column] ?? 0) + 1,
				(current[column - 1] ?? 0) + 1,
				(last[column - 1] ?? 0) + (same ? 0 : 1),
			)
			const swapped = one[row - 1] === two[column - 2] && one[row - 2] === two[column - 1]
			if (row > 1 && column > 1 && swapped) least = Math.min(least, (before[column - 2] ?? 0) + 1)
			current.push(least)
		}
		if (Math.min(...current) > most) return most + 1
		before = last
		last = current
	}
	return last[two.length] ?? most + 1
}

/** Characters of a passage in all, and before the first match. */
const PASSAGE_LENGTH = { all: 160, before: 40 }

/**
 * The matching passage of a message, in pieces, with its original spelling.
 * @param body the original text
 * @param marked the text without accents, with delimiters around each match
 */
export function passageOf(
	body: string,
	marked: string,
	{ start, stop }: { start: string; stop: string },
): MessageHit['passage'] {
	const parts = marked.split(new RegExp(`[${start}${stop}]`))
	// If accents are separate characters, positions do not correspond, and the passage is shown without accents.
	const bare = [...withoutAccents(body)]
	const letters = bare.length === [...body].length ? [...body] : bare
	let at = 0
	const pieces = parts.map((part, index) => {
		const from = at
		at += [...part].length
		return { from, to: at, hit: index % 2 === 1 }
	})
	const first = pieces.find(({ hit }) => hit)?.from ?? 0
	const begin = first <= PASSAGE_LENGTH.before ? 0 : afterSpace(letters, first - PASSAGE_LENGTH.before, first)
	const end = begin + PASSAGE_LENGTH.all
	const shown = pieces
		.map(({ from, to, hit }) => ({ text: letters.slice(Math.max(from, begin), Math.min(to, end)).join(''), hit }))
		.filter(({ text }) => text !== '')
	if (begin > 0) shown.unshift({ text: '… ', hit: false })
	if (letters.length > end) shown.push({ text: '…', hit: false })
	return joined(shown)
}

/** Moves to the start of a word, so that the passage does not begin within one. */
function afterSpace(letters: string[], from: number, to: number): number {
	const space = letters.slice(from, to).findIndex((letter) => /\s/.test(letter))
	return space === -1 ? from : from + space + 1
}

/** Joins adjacent pieces of the same kind. */
function joined(pieces: MessageHit['passage']): MessageHit['passage'] {
	const whole: MessageHit['passage'] = []
	for (const { text, hit } of pieces) {
		const last = whole.at(-1)
		if (last?.hit === hit) last.text += text
		else whole.push({ text, hit })
	}
	return whole
}
