import { LRUCache } from 'lru-cache'
import { matchRoutes, type RouteObject, type ServerBuild } from 'react-router'

/* What figures and traces call a request by: the pattern of its route, as an address has ids and searches in it. */

/** Paths whose route is remembered, as matching takes longer the more routes there are. */
const MAX_REMEMBERED = 2_000

/** The whole pattern of each route of the pages, such as `/forum/:category/:slug`. */
export function patternsOf(routes: ServerBuild['routes']): string[] {
	const patternOf = (id: string): string => {
		const { path = '', parentId } = routes[id] ?? {}
		return [parentId ? patternOf(parentId) : '', path].filter(Boolean).join('/')
	}
	return Object.keys(routes).map((id) => `/${patternOf(id)}`)
}

/**
 * What a request was for, as one of few words: an address has ids and searches in it.
 * @param patterns of all routes
 */
export function routeFinder(patterns: readonly string[]): (url: string) => string {
	const tree: RouteObject[] = [...new Set(patterns)].map((path) => ({ path, id: path }))
	const known = new LRUCache<string, string>({ max: MAX_REMEMBERED })
	return (url) => {
		// The data of a page is asked for by its address with an ending.
		const path = url.replace(/\?.*$/s, '').replace(/(^\/_root|\/_)?\.data$/, '') || '/'
		const found = known.get(path) ?? matchRoutes(tree, path)?.at(-1)?.route.path ?? 'none'
		known.set(path, found)
		return found === '/*' ? 'none' : found
	}
}
