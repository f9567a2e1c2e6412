/** Longer addresses are not cached: nobody asks for them twice. Characters. */
const MAX_URL_LENGTH = 400
/** What React Router adds to requests for a page's data. */
const DATA_PARAM = '_routes'

/** A page that is the same for every visitor, by its address. */
export interface CachedPage<Name extends string = string> {
	/** As in `routes.ts`, with a leading slash: `/forum/tag/:tag`; a part that may be missing at the end is `/:part?`. */
	path: string
	/** Query parameters that a visitor's page depends on, in any order. The others are taken away before it is made. */
	searchParams: readonly Name[]
	/** Query parameters that are read for members alone; visitors lose them as well. */
	memberSearchParams: readonly string[]
	/** What the page at this path shows, as tags that drop it; null where this is another page's path. */
	tagsOf: (pathname: string) => string[] | null
	/**
	 * What an address says in the declared parameters, null for one that it lacks. Loaders of cached pages read parameters in no
	 * other way, so that a parameter which is not declared does not compile.
	 */
	read: (url: URL) => Record<Name, string | null>
}

interface PageOptions<Name extends string> {
	path: string
	/** What a parameter of the path must be besides not empty. */
	where?: Record<string, RegExp>
	searchParams?: readonly Name[]
	memberSearchParams?: readonly string[]
	/**
	 * What drops the page besides what drops every page.
	 * @param params of the path, encoded as in the address
	 */
	tags?: (params: Record<string, string>) => string[]
}

/** Says that a page may be cached for visitors, what it depends on, and what drops it from the cache. */
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
 * The address that a visitor's page is made for, and its tags; null when none of these pages is at this address.
 * @param url path and query as they came, of a page or of its data
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

/** The path of the page whose data is asked for; any other path is as it was. */
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
