/** A word that members wrote, and how often. */
export interface UsedWord {
	word: string
	uses: number
}

/** The new spelling of a term, for {@link TermSource.count}. */
export interface Spelling {
	/** Words with one of these keys are spelled again. */
	keys: string[]
	name: string
	tag: string
}

/** Where members write terms: the skills of profiles, the technologies of projects, the tags of questions. */
export interface TermSource {
	/** Nouns for what holds the words, singular and plural: “profile”, “profiles”. */
	nouns: readonly [string, string]
	/**
	 * Rewrites words by the name of their term. Works in batches, each in a transaction of its own, so that nobody waits long.
	 * @param termId null for all terms
	 * @returns how many profiles, projects or questions were changed
	 */
	align: (termId: number | null) => Promise<number>
	/** How many would change if the words with these keys were spelled like this. */
	count: (spelling: Spelling) => Promise<number>
	/** How many have a word with one of these keys. */
	countUses: (keys: string[]) => Promise<number>
	/** Words that are not terms, the most used first. */
	listUnknown: (limit: number) => Promise<UsedWord[]>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Where members write words that are terms. */
		termSources?: readonly TermSource[]
	}
}

let sources: readonly TermSource[] = []

/** Registers the sources that the manifests list. */
export function registerTermSources(all: readonly TermSource[]): void {
	sources = all
}

/** Every source, in the order of the features. */
export function termSources(): readonly TermSource[] {
	return sources
}

/** Rewrites the words of a term, or of all terms, in every source by the current names. @param termId null for all @returns how many profiles, projects and questions changed */
export async function alignSources(termId: number | null): Promise<number> {
	let changed = 0
	for (const source of sources) changed += await source.align(termId)
	return changed
}
