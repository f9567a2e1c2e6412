/* Views and sizes, for admins. Weeks are named by their Monday, YYYY-MM-DD. */

/** Kinds of pages whose views are counted, with their labels. */
export const readKinds = {
	question: 'Queries',
	list: 'Lists of queries',
	search: 'Search',
	community: 'Community',
	profile: 'Profiles',
	home: 'Home page',
} as const

export type ReadKind = keyof typeof readKinds

/** Questions in the list of the most viewed. */
export const MAX_MOST_READ = 10
/** Weeks that list covers, including the present one. */
export const MOST_READ_WEEKS = 4
/** Tables shown, largest first. */
export const MAX_TABLES = 8

export interface UsageWeek {
	week: string
	/** By {@link ReadKind}; missing without views. */
	reads: Partial<Record<ReadKind, number>>
	/** Bytes of the database, and of pictures; null for weeks without a measurement. */
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
