/** A word that somebody wrote, with how often it is used. */
export interface UsedWord {
	word: string
	uses: number
}

/** What a term becomes, for {@link TermPlace.count}. */
export interface Spelling {
	/** Words with one of these keys are meant. */
	keys: string[]
	name: string
	tag: string
}

/** Where members write terms: the skills of profiles, the technologies of projects, the tags of questions. */
export interface TermPlace {
	/** What has the words, one and many: “profile”, “profiles”. */
	nouns: readonly [string, string]
	/**
	 * Writes the words of a term as it is called, in batches of their own transactions, so that nobody waits long.
	 * @param termId null for those of all terms
	 * @returns how many profiles, projects or questions were changed
	 */
	align: (termId: number | null) => Promise<number>
	/** How many would be written otherwise if the words with these keys were called so. */
	count: (spelling: Spelling) => Promise<number>
	/** How many have a word with one of these keys. */
	countUses: (keys: string[]) => Promise<number>
	/** Words that are no terms, the most used first. */
	listUnknown: (limit: number) => Promise<UsedWord[]>
}

declare module '~/platform/feature.ts' {
	interface Feature {
		/** Where members write words that are terms. */
		termPlaces?: readonly TermPlace[]
	}
}

let places: readonly TermPlace[] = []

/** Takes what the features list. */
export function registerPlaces(all: readonly TermPlace[]): void {
	places = all
}

/** Every place, in the order of the features. */
export function termPlaces(): readonly TermPlace[] {
	return places
}

/** Has every place write the words of a term, or of all, as the terms are called. @returns how many were changed, together */
export async function alignPlaces(termId: number | null): Promise<number> {
	let changed = 0
	for (const place of places) changed += await place.align(termId)
	return changed
}
