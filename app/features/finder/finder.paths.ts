import { withParams } from '~/lib/addresses.ts'

/** What is searched, in the order of the tabs; each has an address of its own, `?in=`. */
export const searchKinds = ['questions', 'people', 'projects', 'tags'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Characters of a search that are looked at. */
export const MAX_SEARCH_LENGTH = 200

/** Keys that follow each other within so many milliseconds are asked for together; any other is asked for at once. */
export const SWITCHER_DEBOUNCE_MS = 60

/** Searches that a browser remembers. */
export const MAX_RECENT = 6

/** The page of the search. */
export const searchRoute = '/search'

/** The address of a search. @param kind null for the best of everything */
export function searchPath(q: string, kind: SearchKind | null = null, cursor: string | null = null): string {
	return withParams(searchRoute, { q, in: kind, cursor })
}

/** The kind that an address names; anything else is the best of everything. */
export function kindOf(text: string | null): SearchKind | null {
	return searchKinds.find((kind) => kind === text) ?? null
}
