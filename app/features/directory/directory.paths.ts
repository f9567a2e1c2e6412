import { type Opening, openingsOf } from '~/features/members/self.view.ts'

/** Members on a page of the community. */
export const MEMBERS_PER_PAGE = 20

/** Characters and words of a search that are used. */
export const MAX_MEMBER_SEARCH_LENGTH = 100
export const MAX_SEARCH_WORDS = 8

/**
 * Limits of counting within filters and in a search. A community of up to `small` members is counted exactly; in a larger one, a
 * count costs the same whatever the size: “100+” means at least that many.
 */
export const COUNT_LIMITS = { small: 5_000, max: { small: 500, large: 100 } }

/** Up to which number people are counted in a community of `total` members. */
export function maxCounted(total: number): number {
	return total <= COUNT_LIMITS.small ? COUNT_LIMITS.max.small : COUNT_LIMITS.max.large
}

/** Maximum values of one filter in an address. */
export const MAX_FILTER_VALUES = 10

/** Milliseconds from the last keystroke until suggestions are requested, and from leaving the field until they close. */
export const SEARCH_DEBOUNCE_MS = 300
export const CLOSE_DELAY_MS = 200

export type Sort = 'match' | 'newest' | 'active'

/** The criteria of a list of members and its order: exactly what its address says. */
export interface Criteria {
	/** The text of the search field; '' for none. */
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
	/** null for the default order: the best match of a search, else the newest. */
	sort: Sort | null
}

/** No criteria: everybody, newest first. */
export const NO_CRITERIA: Criteria = {
	q: '',
	skills: [],
	branches: [],
	years: [],
	universities: [],
	openTo: [],
	online: false,
	sort: null,
}

/** The order of a list: what the criteria name, else the best match of a search, else the newest. */
export function sortOf({ sort, q }: Criteria): Sort {
	if (sort === 'active') return sort
	return q && sort !== 'newest' ? 'match' : 'newest'
}

/** Parses an address; invalid values are ignored. */
export function criteriaOf(params: URLSearchParams): Criteria {
	const q = clean(params.get('q') ?? '')
	const sort = params.get('sort')
	return {
		q,
		// A field without JavaScript takes several skills, separated by commas.
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

/** The address of a list of members. @param cursor where its page begins */
export function communityPath(criteria: Criteria, cursor: string | null = null): string {
	const params = new URLSearchParams(criteriaFields(criteria))
	if (cursor) params.set('cursor', cursor)
	return params.size > 0 ? `/find-dev?${params}` : '/find-dev'
}

/** Criteria as the fields of a form. */
export function criteriaFields(criteria: Criteria): [name: string, value: string][] {
	return [
		...(criteria.q ? [['q', criteria.q] as [string, string]] : []),
		...criteria.skills.map((skill): [string, string] => ['skill', skill]),
		...criteria.branches.map((branch): [string, string] => ['branch', branch]),
		...criteria.years.map((year): [string, string] => ['year', String(year)]),
		...criteria.universities.map((university): [string, string] => ['university', university]),
		...criteria.openTo.map((thing): [string, string] => ['open', thing]),
		...(criteria.online ? [['online', '1'] as [string, string]] : []),
		...(criteria.sort === 'active' || (criteria.q && criteria.sort === 'newest')
			? [['sort', criteria.sort] as [string, string]]
			: []),
	]
}

/** How many filters are set, apart from the search. */
export function countFilters(criteria: Criteria): number {
	const lists = [criteria.skills, criteria.branches, criteria.years, criteria.universities, criteria.openTo]
	return lists.reduce((sum, list) => sum + list.length, criteria.online ? 1 : 0)
}

/** The query string of {@link communityPath}. */
export function criteriaQuery(criteria: Criteria): string {
	return communityPath(criteria).split('?')[1] ?? ''
}

/** Criteria in a few words, as the name of a saved search: “React, 3rd year”. */
export function nameOfCriteria({ q, skills, branches, years, universities, openTo }: Criteria): string {
	const named = years.map((year) => `${year}${['th', 'st', 'nd', 'rd'][year] ?? 'th'} year`)
	return [q, ...skills, ...branches, ...named, ...universities, ...openTo].filter(Boolean).join(', ')
}

/** Whether criteria contain anything besides current presence. */
export function isSaveable(criteria: Criteria): boolean {
	return criteriaQuery({ ...criteria, online: false, sort: null }) !== criteriaQuery(NO_CRITERIA)
}

function valuesOf(params: URLSearchParams, name: string): string[] {
	return tidied(params.getAll(name))
}

function tidied(values: string[]): string[] {
	return [...new Set(values.map(clean).filter(Boolean))].slice(0, MAX_FILTER_VALUES)
}

/** PostgreSQL rejects NUL even in a search; nobody types the other control characters. */
function clean(text: string): string {
	return text
		.replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
		.trim()
		.slice(0, 200)
}
