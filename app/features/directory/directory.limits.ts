/** Members on a page of the community. */
export const membersPerPage = 20

/** Characters and words of a search that are looked at. */
export const longestSearch = 100
export const mostWords = 6

/** Within filters, and in a search, people are counted up to here; “500+” means at least so many. */
export const mostCounted = 500

/** Values of one filter that an address may name. */
export const mostValues = 10

/** Milliseconds after the last key until suggestions are asked for, and after leaving the box until they close. */
export const searchDebounce = 300
export const closeDelay = 200
