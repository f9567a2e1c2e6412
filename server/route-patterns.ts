import { LRUCache } from 'lru-cache'
import { matchRoutes, type RouteObject, type ServerBuild } from 'react-router'

/* The name of a request in metrics and traces: its route pattern, as an address contains ids and searches. */

/** Cached results, as matching gets slower the more routes there are. */
const MAX_REMEMBERED = 2_000

/** The full pattern of each page route, such as `/forum/:category/:slug`. */
export function patternsOf(routes: ServerBuild['routes']): string[] {
	const patternOf = (id: string): string => {
		const { path = '', parentId } = routes[id] ?? {}
		return [parentId ? patternOf(parentId) : '', path].filter(Boolean).join('/')
	}
	return Object.keys(routes).map((id) => `/${patternOf(id)}`)
}

/**
 * Names requests by route pattern.
 * @param patterns of all routes
 */
export function routeFinder(patterns: readonly string[]): (url: string) => string {
	const tree: RouteObject[] = [...new Set(patterns)].map((path) => ({ path, id: path }))
	const known = new LRUCache<string, string>({ max: MAX_REMEMBERED })
	return (url) => {
		// Requests for page data have a suffix.
		const path = url.replace(/\?.*$/s, '').replace(/(^\/_root|\/_)?\.data$/, '') || '/'
		const found = known.get(path) ?? matchRoutes(tree, path)?.at(-1)?.route.path ?? 'none'
		known.set(path, found)
		return found === '/*' ? 'none' : found
	}
}
