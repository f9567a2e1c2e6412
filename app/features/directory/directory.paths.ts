import { type Opening, openingsOf } from '~/features/members/self.view.ts'

/** Members on a page of the community. */
export const membersPerPage = 20

/** Characters and words of a search that are looked at. */
export const MAX_SEARCH_LENGTH = 100
export const MAX_SEARCH_WORDS = 8

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

export type Sort = 'match' | 'newest' | 'active'

/** What the community is narrowed to and how it is ordered: exactly what its address says. */
export interface Wish {
	/** What was typed into the search box; '' for nothing. */
	q: string
	/** Members know all of these. */
	skills: string[]
	/** Members have one of these, in each of the following. */
	branches: string[]
	years: number[]
	universities: string[]
	/** Members are open to all of these. */
	openTo: Opening[]
	online: boolean
	/** null for the usual order: the best match of a search, else the newest. */
	sort: Sort | null
}

/** Nothing in particular: everybody, newest first. */
export const anybody: Wish = {
	q: '',
	skills: [],
	branches: [],
	years: [],
	universities: [],
	openTo: [],
	online: false,
	sort: null,
}

/** The order that a wish comes to: the best match of a search, else the newest, unless it says otherwise. */
export function sortOf({ sort, q }: Wish): Sort {
	if (sort === 'active') return sort
	return q && sort !== 'newest' ? 'match' : 'newest'
}

/** Reads an address; what it says that cannot be meant is passed over. */
export function wishOf(params: URLSearchParams): Wish {
	const q = clean(params.get('q') ?? '')
	const sort = params.get('sort')
	return {
		q,
		// A field without JavaScript takes several at once, parted by commas.
		skills: tidied(params.getAll('skill').flatMap((value) => value.split(','))),
		branches: valuesOf(params, 'branch'),
		years: valuesOf(params, 'year')
			.filter((year) => /^[1-8]$/.test(year))
			.map(Number),
		universities: valuesOf(params, 'university'),
		openTo: openingsOf(valuesOf(params, 'open')),
		online: params.get('online') === '1',
		sort: sort === 'active' || (q && sort === 'newest') ? sort : null,
	}
}

/** The address of a wish, with a place in its list. */
export function communityPath(wish: Wish, cursor: string | null = null): string {
	const params = new URLSearchParams(fieldsOf(wish))
	if (cursor) params.set('cursor', cursor)
	return params.size > 0 ? `/find-dev?${params}` : '/find-dev'
}

/** A wish as the fields of a form. */
export function fieldsOf(wish: Wish): [name: string, value: string][] {
	return [
		...(wish.q ? [['q', wish.q] as [string, string]] : []),
		...wish.skills.map((skill): [string, string] => ['skill', skill]),
		...wish.branches.map((branch): [string, string] => ['branch', branch]),
		...wish.years.map((year): [string, string] => ['year', String(year)]),
		...wish.universities.map((university): [string, string] => ['university', university]),
		...wish.openTo.map((thing): [string, string] => ['open', thing]),
		...(wish.online ? [['online', '1'] as [string, string]] : []),
		...(wish.sort === 'active' || (wish.q && wish.sort === 'newest') ? [['sort', wish.sort] as [string, string]] : []),
	]
}

/** How many things a wish is narrowed by, apart from the search. */
export function countFilters(wish: Wish): number {
	const lists = [wish.skills, wish.branches, wish.years, wish.universities, wish.openTo]
	return lists.reduce((sum, list) => sum + list.length, wish.online ? 1 : 0)
}

/** The parameters of the address of a wish. */
export function wishQuery(wish: Wish): string {
	return communityPath(wish).split('?')[1] ?? ''
}

/** A wish in a few words, as the name of a saved search: “React, 3rd year”. */
export function nameOfWish({ q, skills, branches, years, universities, openTo }: Wish): string {
	const named = years.map((year) => `${year}${['th', 'st', 'nd', 'rd'][year] ?? 'th'} year`)
	return [q, ...skills, ...branches, ...named, ...universities, ...openTo].filter(Boolean).join(', ')
}

/** Whether a wish asks for anything that lasts. */
export function isSaveable(wish: Wish): boolean {
	return wishQuery({ ...wish, online: false, sort: null }) !== wishQuery(anybody)
}

function valuesOf(params: URLSearchParams, name: string): string[] {
	return tidied(params.getAll(name))
}

function tidied(values: string[]): string[] {
	return [...new Set(values.map(clean).filter(Boolean))].slice(0, MAX_FILTER_VALUES)
}

/** PostgreSQL refuses NUL even as something to look for; the rest of the control characters nobody types. */
function clean(text: string): string {
	return text
		.replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
		.trim()
		.slice(0, 200)
}
