import { beforeAll, expect, test } from 'vitest'
import { knownPerson, searchKinds } from '../bench/search/known-people.ts'
import { evaluatePeople, type PeopleResult } from '../bench/search/people.ts'
import { useDatabase } from './support/database.ts'

useDatabase()

/* The smallest part of `npm run bench:search -- --people 5000`: fails if the people search gets worse. */

const SIZE = 300
const SEARCHES = 30

let results: PeopleResult[] = []

beforeAll(async () => {
	results = await evaluatePeople(SIZE, { person: knownPerson, ways: searchKinds, count: SEARCHES })
})

test('by each of eleven kinds of searches, the member meant is among the first five', () => {
	expect(results).toHaveLength(11)
	const poor = results.filter(({ recall, searches }) => searches < SEARCHES / 2 || recall < 0.98)
	expect(poor).toEqual([])
})
