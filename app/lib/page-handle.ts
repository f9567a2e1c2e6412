/** What a route says of its page beside React Router's own exports, as its `handle`. */
export interface PageHandle {
	/**
	 * Whoever comes back within five minutes sees the page as it was at once, and what changed as soon as the site has told; and it
	 * is asked for ahead. For pages to read: what is typed into a form must not be met by an older state of it.
	 */
	revisit?: true
}

/** The header of a request for the data of a page that nobody has opened yet. */
export const PREFETCH_HEADER = 'X-Prefetch'
