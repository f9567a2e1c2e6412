import { distance } from 'fastest-levenshtein'
import { matchRanks, type Term, termKey } from './terms.view.ts'

/** A term of a vocabulary in memory. */
export interface VocabularyEntry extends Term {
	description: string
	/** The keys ({@link termKey}) of its name, then of its other spellings. */
	keys: string[]
	/** The keys of the later words of its name. */
	laterWords: string[]
	parents: number[]
}

export interface Match {
	term: Term
	rank: number
}

/** Shorter words differ by one letter from too many others. */
const MIN_NEAR = 5

/** All terms of a site, in memory, for lookups while typing. */
export class Vocabulary {
	readonly #entries: readonly VocabularyEntry[]
	readonly #byId: ReadonlyMap<number, VocabularyEntry>
	readonly #byKey = new Map<string, VocabularyEntry>()
	readonly #children = new Map<number, VocabularyEntry[]>()
	/** Keys by their first letter, in the order of {@link #byKey}. */
	readonly #byLetter: ReadonlyMap<string | undefined, readonly (readonly [string, VocabularyEntry])[]>
	/** All keys and later words in order, so that those that begin with a text are adjacent. */
	readonly #words: readonly Word[]

	constructor(terms: readonly (Term & { description: string; spellings: readonly string[]; parents: number[] })[]) {
		this.#entries = terms.map(({ spellings, ...term }) => {
			const keys = [...new Set([term.name, term.tag, ...spellings].map(termKey))]
			const laterWords = term.name
				.split(/[\s/-]+/)
				.slice(1)
				.map(termKey)
			return { ...term, keys, laterWords }
		})
		this.#byId = new Map(this.#entries.map((entry) => [entry.id, entry]))
		// Names take precedence over other spellings.
		for (const entry of this.#entries) this.#byKey.set(entry.keys[0] ?? '', entry)
		for (const entry of this.#entries) {
			for (const key of entry.keys) if (!this.#byKey.has(key)) this.#byKey.set(key, entry)
			for (const parent of entry.parents) {
				const beside = this.#children.get(parent)
				if (beside) beside.push(entry)
				else this.#children.set(parent, [entry])
			}
		}
		this.#byLetter = Map.groupBy(this.#byKey, ([key]) => key[0])
		this.#words = this.#entries.flatMap(wordsOf).sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
	}

	/** The term of a spelling. */
	find(spelling: string): VocabularyEntry | undefined {
		return this.#byKey.get(termKey(spelling))
	}

	/** The ancestors of a term and its direct children; none for an unknown one. */
	relatives(term: VocabularyEntry): { parents: Term[]; children: Term[] } {
		const parents = term.parents.flatMap((id) => this.#byId.get(id) ?? [])
		return { parents, children: this.#children.get(term.id) ?? [] }
	}

	/** The term with a spelling that differs from a word of at least five letters by one letter or a swap; the first letter must be right. */
	near(word: string): VocabularyEntry | undefined {
		const key = termKey(word)
		if (key.length < MIN_NEAR) return undefined
		for (const [spelling, term] of this.#byLetter.get(key[0]) ?? []) {
			if (Math.abs(spelling.length - key.length) > 1 || spelling.length < MIN_NEAR) continue
			const edits = distance(spelling, key)
			if (edits === 1 || (edits === 2 && lettersOf(spelling) === lettersOf(key))) return term
		}
		return undefined
	}

	/**
	 * Terms that match a prefix, best first: whole spellings, then names, then other spellings or later words. Ties are in the order of the
	 * start set. Direct parents of a whole spelling come last.
	 */
	match(text: string): Match[] {
		const key = termKey(text)
		if (key === '') return []
		const ranked = new Map<VocabularyEntry, number>()
		for (let at = this.#firstFrom(key); this.#words[at]?.text.startsWith(key); at += 1) {
			const { text: word, entry, isKey, rank } = this.#words[at] as Word
			const own = isKey && word === key ? matchRanks.whole : rank
			ranked.set(entry, Math.min(own, ranked.get(entry) ?? own))
		}
		const found = [...ranked].map(([term, rank]) => ({ term, rank }))
		const known = new Set(found.map(({ term }) => term.id))
		const related = this.#byKey.get(key)
		const above = related ? this.relatives(related).parents.filter(({ id }) => !known.has(id)) : []
		return [
			...found.sort((a, b) => a.rank - b.rank || a.term.id - b.term.id),
			...above.map((term) => ({ term, rank: matchRanks.related })),
		]
	}

	/** The place of the first of the words that is not before a key. */
	#firstFrom(key: string): number {
		let [low, high] = [0, this.#words.length]
		while (low < high) {
			const middle = (low + high) >> 1
			if ((this.#words[middle]?.text ?? '') < key) low = middle + 1
			else high = middle
		}
		return low
	}
}

/** A key, or the key of a later word of a name. */
interface Word {
	text: string
	entry: VocabularyEntry
	isKey: boolean
	/** Of a text that it begins with. */
	rank: number
}

function wordsOf(entry: VocabularyEntry): Word[] {
	const keys = entry.keys.map((text, index) => {
		return { text, entry, isKey: true, rank: index === 0 ? matchRanks.begins : matchRanks.elsewhere }
	})
	return [...keys, ...entry.laterWords.map((text) => ({ text, entry, isKey: false, rank: matchRanks.elsewhere }))]
}

/** Equal for words that differ only by swapped neighbours. */
function lettersOf(word: string): string {
	return [...word].sort().join('')
}
