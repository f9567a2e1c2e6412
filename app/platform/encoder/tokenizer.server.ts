/** Word pieces with their scores, as in the model's `vocab.json`; null counts as 0. */
export type TokenVocabulary = readonly (readonly [piece: string, weight: number | null])[]

/** The first entries are special tokens. */
const RESERVED = 6
/** The id of an unknown character. */
const UNKNOWN = 0
/** Precedes each word. */
const WORD = '\u2581'

/**
 * Splits a text into word pieces with the highest total score (Kudo 2018, “Subword Regularization”), as the published tokenizer of
 * the Universal Sentence Encoder does.
 */
export class Tokenizer {
	private readonly pieces: ReadonlyMap<string, { number: number; weight: number }>
	private readonly longest: number

	constructor(vocabulary: TokenVocabulary) {
		const entries = vocabulary.map(([piece, weight], number) => [piece, { number, weight: weight ?? 0 }] as const)
		this.pieces = new Map(entries.slice(RESERVED))
		this.longest = Math.max(...vocabulary.map(([piece]) => [...piece].length))
	}

	/** The ids of the word pieces; consecutive unknown characters become one 0. @param text the caller limits its length */
	encode(text: string): number[] {
		const normal = text.normalize('NFKC')
		const letters = normal === '' ? [] : [...(WORD + normal.replaceAll(' ', WORD))]
		// The best split up to each position: its score, its last piece, and where that begins.
		const best = letters.map(() => ({ weight: Number.NEGATIVE_INFINITY, number: UNKNOWN, from: 0 }))
		const weightAt = (place: number) => (place === 0 ? 0 : (best[place - 1]?.weight ?? 0))
		for (let from = 0; from < letters.length; from += 1) {
			for (const { length, number, weight } of this.piecesAt(letters, from)) {
				const way = best[from + length - 1]
				const total = weightAt(from) + weight
				if (way && total >= way.weight) Object.assign(way, { weight: total, number, from })
			}
		}
		const numbers: number[] = []
		for (let place = letters.length; place > 0; place = best[place - 1]?.from ?? 0)
			numbers.push(best[place - 1]?.number ?? UNKNOWN)
		return numbers.reverse().filter((number, index, all) => number !== UNKNOWN || all[index - 1] !== UNKNOWN)
	}

	private piecesAt(letters: string[], from: number) {
		const found: { length: number; number: number; weight: number }[] = []
		let text = ''
		for (let length = 1; length <= Math.min(this.longest, letters.length - from); length += 1) {
			text += letters[from + length - 1] ?? ''
			const piece = this.pieces.get(text)
			if (piece) found.push({ length, ...piece })
		}
		return found.length > 0 ? found : [{ length: 1, number: UNKNOWN, weight: 0 }]
	}
}
