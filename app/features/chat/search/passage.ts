import type { MessageHit } from '../protocol.ts'
import { withoutAccents } from './words.ts'

/** Characters of a passage, and of those so many before the first match. */
const room = { all: 160, before: 40 }

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
	const begin = first <= room.before ? 0 : afterSpace(letters, first - room.before, first)
	const end = begin + room.all
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
