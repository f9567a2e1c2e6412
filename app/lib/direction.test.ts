import { expect, test } from 'vitest'
import { isolated } from './direction.ts'

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
