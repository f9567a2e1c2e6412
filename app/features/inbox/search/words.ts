import type { MessageHit } from '../inbox.view.ts'
/** As it is compared: small letters, without accents; the same as `without_accents` in the database. */
export function plain(text: string): string {
	return withoutAccents(text).toLowerCase()
}

/** A text without the accents over its letters. */
function withoutAccents(text: string): string {
	return text
		.normalize('NFD')
		.replace(/[\u0300-\u036f]/g, '')
		.normalize('NFC')
}

/** The words of a search: what stands between spaces, without what surrounds it. */
export function searchWordsOf(search: string): string[] {
	const words = plain(search)
		.split(/\s+/)
		.map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$|['\\]/gu, ''))
		.filter((word) => word !== '')
	return [...new Set(words)].slice(0, 12)
}

/** Whether a search holds a phrase, or a word that must not be there. */
export function isExact(search: string): boolean {
	return search.includes('"') || /(^|\s)-\S/.test(search)
}

/** Shorter words have too many that are spelled nearly so. */
const MIN_WORD_LENGTH = 4

/** The most mistakes that are forgiven in one word. */
export const MAX_TYPING_ERRORS = 2

/** So many letters may be wrong, missing, additional or swapped with their neighbour. */
function mistakesIn(word: string): number {
	if (word.length < MIN_WORD_LENGTH) return 0
	return word.length < 8 ? 1 : MAX_TYPING_ERRORS
}

/** Of known words those that are spelled nearly like this one, the nearest first, at most eight. */
export function nearest(word: string, known: Iterable<string>): string[] {
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

/** Wrong, missing, additional and swapped letters between two words (optimal string alignment); more than `most` is any more. */
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

/** Characters of a passage, and of those so many before the first match. */
const PASSAGE_LENGTH = { all: 160, before: 40 }

/**
 * The passage of a message that matches, in pieces, as it was written.
 * @param body as it was written
 * @param marked without accents, with marks round each word that matched
 */
export function passageOf(
	body: string,
	marked: string,
	{ start, stop }: { start: string; stop: string },
): MessageHit['passage'] {
	const parts = marked.split(new RegExp(`[${start}${stop}]`))
	// Letters that cannot be matched one to one (an accent that is a character of its own) are shown without.
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

/** The beginning of a word, so that the passage does not start in the middle of one. */
function afterSpace(letters: string[], from: number, to: number): number {
	const space = letters.slice(from, to).findIndex((letter) => /\s/.test(letter))
	return space === -1 ? from : from + space + 1
}

/** Neighbours of one kind as one piece. */
function joined(pieces: MessageHit['passage']): MessageHit['passage'] {
	const whole: MessageHit['passage'] = []
	for (const { text, hit } of pieces) {
		const last = whole.at(-1)
		if (last?.hit === hit) last.text += text
		else whole.push({ text, hit })
	}
	return whole
}
