/** A word that members wrote, with its number of uses. */
export interface UsedWord {
	word: string
	uses: number
}

/** The new spelling of a term, for {@link TermSource.count}. */
export interface Spelling {
	/** The keys of words to respell. */
	keys: string[]
	name: string
	tag: string
}

/** A place where members write terms: skills of profiles, technologies of projects, tags of questions. */
export interface TermSource {
	/** Nouns for what contains the words, singular and plural: “profile”, “profiles”. */
	nouns: readonly [string, string]
	/**
	 * Respells words by the name of their term. Works in batches, each in a transaction of its own, so that locks are short.
	 * @param termId null for all terms
	 * @returns the number of changed profiles, projects or questions
	 */
	align: (termId: number | null) => Promise<number>
	/** How many would change if the words with these keys were spelled like this. */
	count: (spelling: Spelling) => Promise<number>
	/** How many contain a word with one of these keys. */
	countUses: (keys: string[]) => Promise<number>
	/** Words that are not terms, most used first. */
	listUnknown: (limit: number) => Promise<UsedWord[]>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Places where members write terms. */
		termSources?: readonly TermSource[]
	}
}

let sources: readonly TermSource[] = []

/** Registers the sources of all features. */
export function registerTermSources(all: readonly TermSource[]): void {
	sources = all
}

/** All sources, in the order of the features. */
export function termSources(): readonly TermSource[] {
	return sources
}

/**
 * Respells the words of a term, or of all terms, in all sources.
 * @param termId null for all
 * @returns the number of changed profiles, projects and questions
 */
export async function alignSources(termId: number | null): Promise<number> {
	let changed = 0
	for (const source of sources) changed += await source.align(termId)
	return changed
}
