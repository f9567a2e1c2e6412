import { hasSite, hasTerms, listStoredTerms, listUsedWords } from './preview.queries.server.ts'
import { startSet } from './terms.server.ts'
import { termKey } from './terms.view.ts'

/** A word that members wrote, with its new spelling. */
interface Rename {
	word: string
	name: string
	/** The number of profiles, projects or questions with it. */
	uses: number
}

/**
 * Lists the words that the start set would respell on the site of the open database, of this version or an earlier one; most used first,
 * empty without a site. Changes nothing. Synonyms set by moderators take precedence over the start set.
 */
export async function previewStartSet(): Promise<{ nouns: readonly [string, string]; renames: Rename[] }[]> {
	if (!(await hasSite())) return []
	const isNew = await hasTerms()
	const stored = await listStoredTerms(isNew)
	const terms = new Map<string, { name: string; tag: string }>()
	for (const { key, name, tag } of stored.spellings) terms.set(key, { name, tag })
	for (const { name, tag, aliases } of startSet()) {
		const known = [name, tag].map((text) => terms.get(termKey(text))).find((term) => term !== undefined)
		if (known && known.tag !== tag) continue
		const term = known && stored.edited.has(tag) ? known : { name, tag }
		if (known) for (const [key, other] of terms) if (other.tag === tag) terms.set(key, term)
		for (const spelling of [name, tag, ...aliases]) {
			const key = termKey(spelling)
			if (!terms.has(key) && !stored.removed.has(key)) terms.set(key, term)
		}
	}
	const words = await listUsedWords()
	const renamesOf = (place: string, field: 'name' | 'tag'): Rename[] =>
		words
			.filter((word) => word.place === place)
			.flatMap(({ word, uses }) => {
				const name = terms.get(termKey(word))?.[field] ?? word
				return name === word ? [] : [{ word, name, uses }]
			})
			.sort((one, other) => other.uses - one.uses || (one.word < other.word ? -1 : 1))
	return [
		{ nouns: ['profile', 'profiles'], renames: renamesOf('skills', 'name') },
		{ nouns: ['project', 'projects'], renames: renamesOf('projects', 'name') },
		{ nouns: ['query', 'queries'], renames: renamesOf('tags', 'tag') },
	]
}
