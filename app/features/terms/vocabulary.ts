import { distance } from 'fastest-levenshtein'
import { ranks, type Term, termKey } from './terms.view.ts'

/** A term of a vocabulary that is held in memory. */
export interface Entry extends Term {
	description: string
	/** Its name first, then its other spellings, as {@link termKey} writes them. */
	keys: string[]
	/** The later words of its name, in the same way. */
	laterWords: string[]
	parents: number[]
}

export interface Match {
	term: Term
	rank: number
}

/** Shorter words differ by one letter from too many others. */
const MIN_NEAR = 5

/** All terms of a site, to look up in memory what somebody types. */
export class Vocabulary {
	readonly #entries: readonly Entry[]
	readonly #byId: ReadonlyMap<number, Entry>
	readonly #byKey = new Map<string, Entry>()
	readonly #children = new Map<number, Entry[]>()

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
		// A name comes before what is only another spelling.
		for (const entry of this.#entries) this.#byKey.set(entry.keys[0] ?? '', entry)
		for (const entry of this.#entries) {
			for (const key of entry.keys) if (!this.#byKey.has(key)) this.#byKey.set(key, entry)
			for (const parent of entry.parents) {
				const beside = this.#children.get(parent)
				if (beside) beside.push(entry)
				else this.#children.set(parent, [entry])
			}
		}
	}

	/** The term that a text is a spelling of. */
	find(spelling: string): Entry | undefined {
		return this.#byKey.get(termKey(spelling))
	}

	/** The terms above a term, and those that stand directly below it; none for an unknown one. */
	relatives(term: Entry): { parents: Term[]; children: Term[] } {
		const parents = term.parents.flatMap((id) => this.#byId.get(id) ?? [])
		return { parents, children: this.#children.get(term.id) ?? [] }
	}

	/** The term with a spelling that differs from a word of at least five by one letter, or by two that are swapped; the first one is never wrong. */
	near(word: string): Entry | undefined {
		const key = termKey(word)
		if (key.length < MIN_NEAR) return undefined
		for (const [spelling, term] of this.#byKey) {
			if (spelling[0] !== key[0] || Math.abs(spelling.length - key.length) > 1 || spelling.length < MIN_NEAR) continue
			const edits = distance(spelling, key)
			if (edits === 1 || (edits === 2 && lettersOf(spelling) === lettersOf(key))) return term
		}
		return undefined
	}

	/**
	 * Terms that a text may be the beginning of, the best first and of equals those that the start set names first: it is a whole spelling, a name begins so, another spelling or a
	 * later word does. Behind them, what stands directly above a whole spelling.
	 */
	match(text: string): Match[] {
		const key = termKey(text)
		if (key === '') return []
		const found: Match[] = []
		for (const term of this.#entries) {
			const rank = rankOf(term, key)
			if (rank !== null) found.push({ term, rank })
		}
		const known = new Set(found.map(({ term }) => term.id))
		const related = this.#byKey.get(key)
		const above = related ? this.relatives(related).parents.filter(({ id }) => !known.has(id)) : []
		return [
			...found.sort((a, b) => a.rank - b.rank || a.term.id - b.term.id),
			...above.map((term) => ({ term, rank: ranks.related })),
		]
	}
}

function rankOf({ keys, laterWords }: Entry, key: string): number | null {
	if (keys.includes(key)) return ranks.whole
	if (keys[0]?.startsWith(key)) return ranks.begins
	if (keys.some((spelling) => spelling.startsWith(key))) return ranks.elsewhere
	return laterWords.some((word) => word.startsWith(key)) ? ranks.elsewhere : null
}

/** The same for words in which neighbours are swapped. */
function lettersOf(word: string): string {
	return [...word].sort().join('')
}
