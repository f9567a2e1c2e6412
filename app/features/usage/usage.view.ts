/* What is read, and what is stored, as admins see it. Weeks are named by their Monday, YYYY-MM-DD. */

/** Kinds of pages whose reads are counted, as the page calls them. */
export const readKinds = {
	question: 'Queries',
	list: 'Lists of queries',
	search: 'Search',
	community: 'Community',
	profile: 'Profiles',
	home: 'Home page',
} as const

export type ReadKind = keyof typeof readKinds

/** Questions that the page names. */
export const MAX_MOST_READ = 10
/** Weeks, the one that has begun included, of which those are the most read. */
export const MOST_READ_WEEKS = 4
/** Tables that the page names, the largest first. */
export const MAX_TABLES = 8

export interface WeekOfUse {
	week: string
	/** By {@link ReadKind}; none where nobody read such a page. */
	reads: Partial<Record<ReadKind, number>>
	/** Bytes of the database, and of pictures; null of weeks in which nobody looked. */
	database: number | null
	pictures: number | null
}

export interface MostRead {
	id: number
	title: string
	url: string
	reads: number
}

/** A table with its indexes. */
export interface TableSize {
	name: string
	bytes: number
}
