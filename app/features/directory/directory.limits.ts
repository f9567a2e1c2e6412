/** Members on a page of the community. */
export const membersPerPage = 20

/** Characters and words of a search that are looked at. */
export const MAX_SEARCH_LENGTH = 100
export const MAX_SEARCH_WORDS = 6

/**
 * How far people are counted within filters and in a search. A community of up to `small` members is counted properly; beyond
 * it a number costs the same whatever the size: “100+” means at least so many.
 */
export const counting = { small: 5_000, max: { small: 500, large: 100 } }

/** Values of one filter that an address may name. */
export const MAX_FILTER_VALUES = 10

/** Milliseconds after the last key until suggestions are asked for, and after leaving the box until they close. */
export const searchDebounce = 300
export const closeDelay = 200
