import { expect, test } from 'vitest'
import { NO_CRITERIA } from '../directory.paths.ts'
import { countSentence } from './list-head.tsx'
import { criteriaText } from './nobody-found.tsx'
import { splitMatches } from './suggestion-groups.tsx'

test.each([
	[{ number: 1_284, atLeast: false }, {}, '1,284 members'],
	[{ number: 1, atLeast: false }, {}, '1 member'],
	[{ number: 96, atLeast: false }, { skills: ['Python'] }, '96 know Python'],
	[{ number: 1, atLeast: false }, { skills: ['Python', 'Go', 'C'] }, '1 knows Python, Go and C'],
	[{ number: 200, atLeast: true }, { q: 'rea' }, '200+ match “rea”'],
	[{ number: 3, atLeast: false }, { q: 'rea', years: [1] }, '3 people'],
	[{ number: 0, atLeast: false }, { q: 'rea' }, ''],
])('%j for %j reads %s', (count, criteria, sentence) => {
	expect(countSentence(count, { ...NO_CRITERIA, ...criteria })).toBe(sentence)
})

test('a count of members who match only a part of a search has a label', () => {
	expect(countSentence({ number: 3, atLeast: false }, { ...NO_CRITERIA, q: 'rea zz' }, true)).toBe(
		'3 match some of “rea zz”',
	)
})

test.each([
	[{ skills: ['Python'], branches: ['CSE'], years: [1], online: true }, 'Python, CSE, 1st year and online now'],
	[{ q: 'zz' }, '“zz”'],
	[{ years: [2, 3], openTo: ['mentoring' as const] }, '2nd or 3rd year and open to mentoring'],
])('the criteria %j read %s', (criteria, text) => {
	expect(criteriaText({ ...NO_CRITERIA, ...criteria })).toBe(text)
})

test.each([
	['React Native', 'rea', ['[Rea]', 'ct Native']],
	['Ada Reave, React', 'rea', ['Ada ', '[Rea]', 've, ', '[Rea]', 'ct']],
	['C++ and C', 'c++', ['[C++]', ' and C']],
	['Area', 'rea', ['Area']],
	['Mira Quillon', 'quil mi', ['[Mi]', 'ra ', '[Quil]', 'lon']],
	['मीरा रानी', 'रा', ['मीरा ', '[रा]', 'नी']],
	['anything', '', ['anything']],
	['a (b', '(', ['a ', '[(]', 'b']],
])('in %s, words that begin with %s are marked', (text, typed, parts) => {
	expect(splitMatches(text, typed).map((part) => (part.isMatch ? `[${part.text}]` : part.text))).toEqual(parts)
})
