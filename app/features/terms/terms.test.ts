import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { findTerm, matchTerms, relativesOf, similarTerm, startSet } from './terms.server.ts'
import { MAX_TERM_DESCRIPTION, MAX_TERM_NAME, MAX_TERM_TAG, matchRanks, tagOfName, termKey } from './terms.view.ts'

describe('the start set', () => {
	const terms = startSet()

	test('has at least 1,500 terms, each with a description', () => {
		expect(terms.length).toBeGreaterThan(2_500)
		expect(
			terms.filter(({ description }) => description.length < 6 || description.length > MAX_TERM_DESCRIPTION),
		).toEqual([])
	})

	test('has no duplicate spellings', () => {
		const owners = new Map<string, string>()
		const twice: string[] = []
		for (const { name, tag, aliases } of terms) {
			const keys = [...new Set([name, tag].map(termKey)), ...aliases.map(termKey)]
			for (const key of keys) {
				const owner = owners.get(key)
				if (owner !== undefined) twice.push(`${key}: ${owner} and ${name}`)
				owners.set(key, name)
			}
		}
		expect(twice).toEqual([])
	})

	test('has only valid names, tags and parents', () => {
		const names = new Set(terms.map(({ name }) => name))
		const wrong = terms.filter(
			({ name, tag, aliases, parents }) =>
				[name, ...aliases].some((text) => text.length > MAX_TERM_NAME || text.trim() !== text || text.includes(',')) ||
				tag.length > MAX_TERM_TAG ||
				!/^[^\s/,A-Z]+$/.test(tag) ||
				/^\.+$/.test(tag) ||
				parents.some((parent) => !names.has(parent) || parent === name),
		)
		expect(wrong).toEqual([])
	})

	test('has no cycles', () => {
		const parents = new Map(terms.map((term) => [term.name, term.parents]))
		const above = (name: string, seen: string[]): boolean =>
			seen.includes(name) || (parents.get(name) ?? []).some((parent) => above(parent, [...seen, name]))
		expect(terms.filter(({ name }) => above(name, [])).map(({ name }) => name)).toEqual([])
	})

	test('agrees with the synonyms of earlier versions', () => {
		const pairs = readFileSync('migrations/0013_votes.sql', 'utf8').matchAll(/\('([^']+)', '\{([^}]+)\}'\)/g)
		const others = [...pairs].flatMap(([, main = '', names = '']) =>
			names
				.split(',')
				.filter((name) => findTerm(name)?.tag !== main)
				.map((name) => `${name} of ${main} is ${findTerm(name)?.tag}`),
		)
		expect(others).toEqual([])
	})
})

test.each([
	['golang', 'Go'],
	['reactjs', 'React'],
	['react.js', 'React'],
	['k8s', 'Kubernetes'],
	['ts', 'TypeScript'],
	['js', 'JavaScript'],
	['cpp', 'C++'],
	['c++', 'C++'],
	['c sharp', 'C#'],
	['C-Sharp', 'C#'],
	['c#', 'C#'],
	['c', 'C'],
	['node js', 'Node.js'],
	['NODEJS', 'Node.js'],
	['node_js', 'Node.js'],
	['.net', '.NET'],
	['dotnet', '.NET'],
	['asp net', 'ASP.NET'],
	['CI / CD', 'CI/CD'],
	['ml', 'Machine Learning'],
	['dsa', 'Data Structures and Algorithms'],
	['maths', 'Mathematics'],
	['thermodynamics', 'Thermodynamics'],
	['Ｃ＋＋', 'C++'],
	['net', undefined],
	['knitting', undefined],
	['', undefined],
	['...', undefined],
])('%j is %j', (typed, name) => {
	expect(findTerm(typed)?.name).toBe(name)
})

test.each([
	['C', 'c'],
	['.NET Core', '.netcore'],
	['  Node.js ', 'nodejs'],
	['...', '...'],
	['A_b-c/d', 'abcd'],
])('the key of %j is %j', (spelling, key) => {
	expect(termKey(spelling)).toBe(key)
})

test.each([
	['CI/CD', 'ci-cd'],
	['C#', 'c#'],
	['#1 Thing!', '1-thing'],
	['?!', ''],
])('the tag of %j is %j', (name, tag) => {
	expect(tagOfName(name)).toBe(tag)
})

test('sorts matches by quality, parents last', () => {
	const names = matchTerms('reactjs').map(({ term }) => term.name)
	expect([names[0], names.at(-1)]).toEqual(['React', 'JavaScript'])
	expect(matchTerms('java')[0]?.term.name).toBe('Java')
	expect(matchTerms('')).toEqual([])
	expect(relativesOf('react').parents.map(({ name }) => name)).toEqual(['JavaScript'])
	expect(relativesOf('react').children.map(({ name }) => name)).toContain('React Native')
	expect(relativesOf('knitting')).toEqual({ parents: [], children: [] })
})

test.each(['a', 'c', 'c++', '.net', 'net', 're', 'java', 'learning', 'machine l', 'go', 'zz'])(
	'%j matches what it matches in a look at each term',
	(text) => {
		const key = termKey(text)
		const ranked = startSet().map(({ name, tag, aliases }) => {
			const keys = [name, tag, ...aliases].map(termKey)
			const laterWords = name.split(/[\s/-]+/).slice(1)
			if (keys.includes(key)) return { name, rank: matchRanks.whole }
			if (keys[0]?.startsWith(key)) return { name, rank: matchRanks.begins }
			const isElsewhere = [...keys, ...laterWords.map(termKey)].some((word) => word.startsWith(key))
			return { name, rank: isElsewhere ? matchRanks.elsewhere : Number.POSITIVE_INFINITY }
		})
		const found = matchTerms(text).filter(({ rank }) => rank !== matchRanks.related)
		expect(found.map(({ term, rank }) => ({ name: term.name, rank }))).toEqual(
			ranked.filter(({ rank }) => Number.isFinite(rank)).sort((one, other) => one.rank - other.rank),
		)
	},
)

test.each([
	['pyhton', 'Python'],
	['pythn', 'Python'],
	['kubernets', 'Kubernetes'],
	['jva', undefined],
])('%j may be meant as %j', (typed, name) => {
	expect(similarTerm(typed)?.name).toBe(name)
})
