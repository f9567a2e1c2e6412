import { expect, test } from 'vitest'
import {
	type Criteria,
	communityPath,
	countFilters,
	criteriaOf,
	MAX_FILTER_VALUES,
	NO_CRITERIA,
	sortOf,
} from './directory.paths.ts'

const everything: Criteria = {
	q: 'rea & co',
	skills: ['C++', 'Node.js'],
	branches: ['CSE', 'IT'],
	years: [1, 4],
	universities: ['Eastmere University'],
	openTo: ['mentoring'],
	online: true,
	sort: 'active',
}

test.each([
	['nobody in particular', NO_CRITERIA],
	['everything', everything],
	['a search in its own order', { ...NO_CRITERIA, q: 'mira' }],
	['a search by joining', { ...NO_CRITERIA, q: 'mira', sort: 'newest' as const }],
])('criteria for %s survive the round trip through their address', (_, criteria) => {
	expect(criteriaOf(new URL(communityPath(criteria), 'http://site.example').searchParams)).toEqual(criteria)
})

test.each([
	['', {}],
	['?sort=newest', {}],
	['?sort=match', {}],
	['?sort=sideways&online=yes&year=9&year=x&open=everything', {}],
	['?skill=&skill=+&branch=', {}],
	['?q=++mira++', { q: 'mira' }],
	['?q=a%00b', { q: 'a b' }],
	['?skill=React,+TypeScript&skill=React', { skills: ['React', 'TypeScript'] }],
	['?online=1&cursor=abc', { online: true }],
])('the address %s means %j', (search, criteria) => {
	expect(criteriaOf(new URLSearchParams(search))).toEqual({ ...NO_CRITERIA, ...criteria })
})

test('of an address with too many values, the first ones are used', () => {
	const params = new URLSearchParams(Array.from({ length: 500 }, (_, index) => ['branch', `b${index}`]))
	expect(criteriaOf(params).branches).toHaveLength(MAX_FILTER_VALUES)
})

test.each([
	[{}, 'newest'],
	[{ q: 'mira' }, 'match'],
	[{ q: 'mira', sort: 'newest' as const }, 'newest'],
	[{ sort: 'match' as const }, 'newest'],
	[{ sort: 'active' as const }, 'active'],
])('the criteria %j are ordered by %s', (criteria, sort) => {
	expect(sortOf({ ...NO_CRITERIA, ...criteria })).toBe(sort)
})

test('filters are counted one by one, without the search', () => {
	expect([countFilters(NO_CRITERIA), countFilters(everything)]).toEqual([0, 9])
})
