import { expect, test } from 'vitest'
import { shorten } from './page-meta.ts'

test.each([
	['short', 'Short.', 10, 'Short.'],
	['of words', 'A text of several words', 12, 'A text of…'],
	['of one word', 'Unbreakable', 6, 'Unbre…'],
	['with an emoji at its end', 'abcd🦊efgh', 6, 'abcd…'],
	['with a flag at its end', 'abcd🇮🇳efgh', 8, 'abcd…'],
])('a text %s is shortened to whole characters', (_what, text, length, shortened) => {
	expect(shorten(text, length)).toBe(shortened)
})
