import { expect, test } from 'vitest'
import {
	formatNumber,
	initials,
	isolated,
	ordinal,
	pluralize,
	shortNumber,
	startOf,
	truncateWords,
	typedSince,
} from './text.ts'

test.each([
	['Mira Quillon', 'MQ'],
	['  ana maria de la cruz ', 'AC'],
	['Cher', 'C'],
	['🦊 Fox', '🦊F'],
	['Mira Quillon (she/her)', 'MQ'],
	['“Cher” (2030)', '“('],
	['', '?'],
])('the initials of %j are %s', (name, expected) => {
	expect(initials(name)).toBe(expected)
})

test.each([
	[0, '0 comments'],
	[1, '1 comment'],
	[1284, '1,284 comments'],
])('%i becomes %s', (count, expected) => {
	expect(pluralize(count, 'comment')).toBe(expected)
})

test('numbers are grouped by thousands', () => {
	expect([999, 1000, 1234567].map(formatNumber)).toEqual(['999', '1,000', '1,234,567'])
})

test('large numbers are cut to a few characters', () => {
	const numbers = [
		0, -7, 9_999, -9_999, 10_000, 12_999, -999_999, 1_000_000, 1_299_999, -9_999_999, 12_345_678, 2_147_483_647,
	]
	const short = ['0', '-7', '9999', '-9999', '10k', '12k', '-999k', '1m', '1.2m', '-9.9m', '12m', '2.1b']
	expect(numbers.map(shortNumber)).toEqual(short)
})

test('years are ordinal', () => {
	expect([1, 2, 3, 4, 8].map(ordinal)).toEqual(['1st', '2nd', '3rd', '4th', '8th'])
})

test.each([
	['an emoji of two units', 'ab🦊', 3, 'ab'],
	['a flag of two emoji', 'ab🇮🇳🇮🇳', 8, 'ab🇮🇳'],
	['a family joined of four', 'ab👩‍👩‍👧‍👦', 12, 'ab'],
	['a skin tone', 'ab👍🏽', 4, 'ab'],
	['a letter with its accent', 'abe\u0301', 3, 'ab'],
	['a syllable with its vowel', 'नकि', 2, 'न'],
	['a line break of two', 'ab\r\ncd', 3, 'ab'],
	['letters, where it ends between two', 'ab🦊cd', 5, 'ab🦊c'],
	['nothing, where it ends between two', 'ab🦊cd', 4, 'ab🦊'],
	['nothing, where it is short', 'ab🦊', 4, 'ab🦊'],
	['the only one there is, without half a pair', '👩‍👩‍👧‍👦', 4, '👩‍\ufffd'],
])('the start of a text does not divide %s', (_what, text, length, start) => {
	expect(startOf(text, length)).toBe(start)
})

test.each([
	['short enough', 12, 'short enough'],
	['whole words only', 8, 'whole…'],
	['whole words only', 11, 'whole words…'],
	['whole words only', 12, 'whole words…'],
	['unbreakable', 5, 'unbre…'],
	['🌿🌿 🌿🌿', 3, '🌿🌿…'],
	['🌿🌿 🌿🌿', 5, '🌿🌿 🌿🌿'],
	['Ida👩‍👩‍👧‍👦', 5, 'Ida…'],
])('%j in at most %i characters is %j', (text, most, expected) => {
	expect(truncateWords(text, most)).toBe(expected)
})

test.each([
	['nothing more was typed', 'One.', 'One.', false, ''],
	['the browser sends other line ends', 'One.\r\nTwo.', 'One.\nTwo.', false, ''],
	['more was typed after it', 'One.', 'One. Two.', false, 'Two.'],
	['it was changed', 'One.', 'Won.', false, 'Won.'],
	['it was emptied', 'One.', '', false, ''],
	['an edit goes on from what was saved', 'One.', 'One. Two.', true, 'One. Two.'],
])('while a text was sent, %s', (_what, sent, typed, isEdit, expected) => {
	expect(typedSince(sent, typed, isEdit)).toBe(expected)
})

test.each([
	['Ravi', 'Ravi'],
	['רבי', '\u2068רבי\u2069'],
	['𞤀𞤁', '\u2068𞤀𞤁\u2069'],
	['רבי\u2069 and\u202E more', '\u2068רבי and more\u2069'],
	['plain \u202Etxt.exe', 'plain txt.exe'],
	['Zubin: “\u2068רבי\u2069”', '\u2068Zubin: “\u2068רבי\u2069”\u2069'],
])('%j is isolated where it is written from right to left, and changes no direction itself', (text, expected) => {
	expect(isolated(text)).toBe(expected)
})
