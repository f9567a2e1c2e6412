import { withParams } from '~/lib/addresses.ts'

/** The kinds of results, in the order of the tabs, and their values of `?in=`. */
export const searchKinds = ['questions', 'people', 'projects', 'tags'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Maximum characters of a search; the rest is ignored. */
export const MAX_SEARCH_LENGTH = 200

/** Debounce of the switcher in milliseconds. The first key after a pause is not delayed. */
export const SWITCHER_DEBOUNCE_MS = 60

/** Searches that a browser remembers. */
export const MAX_RECENT_SEARCHES = 6

export const searchRoute = '/search'

/** The address of a search. @param kind null for the best of everything */
export function searchPath(q: string, kind: SearchKind | null = null, cursor: string | null = null): string {
	return withParams(searchRoute, { q, in: kind, cursor })
}

/** Parses the kind in an address; null, the best of everything, for anything else. */
export function searchKindOf(text: string | null): SearchKind | null {
	return searchKinds.find((kind) => kind === text) ?? null
}
