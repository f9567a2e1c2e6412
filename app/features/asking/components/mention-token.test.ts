import { expect, test } from 'vitest'
import { tokenAt } from './mention-menu.tsx'

test.each([
	['@', { from: 0, text: '' }],
	['Ask @Mir', { from: 4, text: 'mir' }],
	['(@a.b-c', { from: 1, text: 'a.b-c' }],
	['one @two three', null],
	['请@mi', { from: 1, text: 'mi' }],
	['mail@host', null],
	['https://host/@name', null],
	['@@name', null],
	['nobody', null],
	[`@${'x'.repeat(65)}`, null],
])('the word at the end of “%s” is a mention, or none', (before, token) => {
	expect(tokenAt(before, before.length)).toEqual(token)
})

test('a caret within a word is not at the end of a mention', () => {
	expect(tokenAt('Ask @mira', 7)).toBeNull()
	expect(tokenAt('Ask @mi, please', 7)).toEqual({ from: 4, text: 'mi' })
})
