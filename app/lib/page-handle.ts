/** Properties of a route's page, exported as its `handle`. */
export interface PageHandle {
	/**
	 * A reader who returns within five minutes sees the stored page at once, and changes once they are loaded; links to it are
	 * prefetched. Only for pages to read: a stored state must not overwrite what is being typed into a form.
	 */
	revisit?: true
}

/** The header of a prefetching request for page data. */
export const PREFETCH_HEADER = 'X-Prefetch'

/**
 * The header by which scripts name the member whose page sends a write, by id: another one may have logged in since. A response that has it
 * refused the write for that reason.
 */
export const PAGE_MEMBER_HEADER = 'X-Page-Member'
