/** Maximum characters of a cached address: longer ones are hardly ever requested twice. */
const MAX_URL_LENGTH = 400
/** The parameter that React Router adds to requests for the data of a page. */
const DATA_PARAM = '_routes'

/** A page whose content depends on its address only, not on the visitor. */
export interface CachedPage<Name extends string = string> {
	/** As in `routes.ts`, with a leading slash: `/forum/tag/:tag`; an optional last segment is `/:part?`. */
	path: string
	/** Query parameters that a visitor's page depends on, in any order. All others are removed before it is rendered. */
	searchParams: readonly Name[]
	/** Query parameters that are read for members only; they are removed from visitors' requests as well. */
	memberSearchParams: readonly string[]
	/** The cache tags of the page at this path; null where the path belongs to another page. */
	tagsOf: (pathname: string) => string[] | null
	/**
	 * The declared parameters of an address; null for a missing one. Loaders of cached pages read parameters only by this function,
	 * so an undeclared parameter does not compile.
	 */
	read: (url: URL) => Record<Name, string | null>
}

interface PageOptions<Name extends string> {
	path: string
	/** Patterns that parameters of the path must match. */
	where?: Record<string, RegExp>
	searchParams?: readonly Name[]
	memberSearchParams?: readonly string[]
	/**
	 * Cache tags of the page, besides the one that all pages have.
	 * @param params of the path, encoded as in the address
	 */
	tags?: (params: Record<string, string>) => string[]
}

/** Declares that a page may be cached for visitors: what it depends on, and what invalidates it. */
export function cachedPage<const Name extends string = never>(options: PageOptions<Name>): CachedPage<Name> {
	const { path, where = {}, searchParams = [], memberSearchParams = [], tags = () => [] } = options
	const pattern = new RegExp(
		`^${path
			.replace(/\./g, '\\.')
			.replace(/\/:(\w+)\?/g, '(?:/(?<$1>[^/]+))?')
			.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
	)
	return {
		path,
		searchParams,
		memberSearchParams,
		tagsOf: (pathname) => {
			const match = pattern.exec(pathname)
			const params = match?.groups ?? {}
			if (!match || Object.entries(where).some(([name, rule]) => !rule.test(params[name] ?? ''))) return null
			return tags(params)
		},
		read: ({ searchParams: given }) =>
			Object.fromEntries(searchParams.map((name) => [name, given.get(name)])) as Record<Name, string | null>,
	}
}

/**
 * The canonical address of a visitor's page and its cache tags; null when no cached page has this address.
 * @param url path and query as sent, of a page or of its data
 */
export function visitorAddress(pages: readonly CachedPage[], url: string): { path: string; tags: string[] } | null {
	if (url.length > MAX_URL_LENGTH) return null
	const mark = url.indexOf('?')
	const pathname = mark < 0 ? url : url.slice(0, mark)
	const shown = pagePath(pathname)
	for (const page of pages) {
		const tags = page.tagsOf(shown)
		if (tags) return { path: mark < 0 ? url : pathname + declaredOnly(page, url.slice(mark + 1)), tags }
	}
	return null
}

/** The path of the page whose data is requested; any other path unchanged. */
function pagePath(pathname: string): string {
	if (pathname === '/_.data') return '/'
	return pathname.endsWith('.data') ? pathname.slice(0, -'.data'.length) : pathname
}

function declaredOnly({ searchParams }: CachedPage, search: string): string {
	const declared = [...new URLSearchParams(search)].filter(
		([name]) => name === DATA_PARAM || searchParams.includes(name),
	)
	if (declared.length === 0) return ''
	return `?${new URLSearchParams(declared.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))}`
}
