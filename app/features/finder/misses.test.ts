import { describe, expect, test } from 'vitest'
import { parseSearch } from '~/features/search/search.server.ts'
import { missWords } from './misses.server.ts'

/** Searches, with what is recorded if they have no results. */
const searches: [q: string, noted: string | null][] = [
	['Kubernetes', 'kubernetes'],
	['  C++   Templates ', 'c++ templates'],
	['tag:react useDeferredValue', 'usedeferredvalue'],
	['"event loop" -node', 'event loop'],
	['vue3 node.js', 'vue3 node.js'],
	['what is this?', 'what is this'],
	['Wont Fix', 'wont fix'],
	['Überläufe', 'überläufe'],
	['tag:react', null],
	['x', null],
	['someone@campus.example', null],
	['my address is someone@campus.example', null],
	['9876543210', null],
	['EIT23CSE017123', null],
	['ghp_16C7e42F292c6912E7710c838347Ae178B4a', null],
	['deadbeefcafebabe', null],
	['hunter2!secret', null],
	['https://site.example/reset?token=x', null],
	['www.site.example', null],
	['w'.repeat(31), null],
	['one two three four five six seven', null],
	[`${'word '.repeat(6)}`, 'word word word word word word'],
	[`${'wordwordword '.repeat(5)}`, null],
]

describe('the record of a search without results', () => {
	test.each(searches)('%s', (q, noted) => {
		expect(missWords(parseSearch(q))).toBe(noted)
	})
})
