import { expect, test } from 'vitest'
import { passageOf } from './words.ts'

const marks = { start: '<', stop: '>' }
const long = (words: number) => Array.from({ length: words }, (_, index) => `word${index}`).join(' ')
const shown = (body: string, marked: string) =>
	passageOf(body, marked, marks).map(({ text, hit }) => (hit ? `[${text}]` : text))

test.each([
	['The deadline', 'The <deadline>', ['The ', '[deadline]']],
	['Déjà vu, déjà lu', '<Deja> vu, <deja> lu', ['[Déjà]', ' vu, ', '[déjà]', ' lu']],
	// A combining accent that does not form a single character with its letter.
	['x\u0301 deadline', 'x <deadline>', ['x ', '[deadline]']],
	['👩‍🎓 deadline 🎓', '👩‍🎓 <deadline> 🎓', ['👩‍🎓 ', '[deadline]', ' 🎓']],
	['nothing marked', 'nothing marked', ['nothing marked']],
	['', '', []],
])('%j is shown as written', (body, marked, pieces) => {
	expect(shown(body, marked)).toEqual(pieces)
})

test('a long message is shown from a word before the first match', () => {
	const body = `${long(100)} deadline ${long(100)}`
	const pieces = shown(body, body.replace('deadline', '<deadline>'))
	expect(pieces[0]).toMatch(/^… word\d+ /)
	expect(pieces[1]).toBe('[deadline]')
	expect(pieces[2]).toMatch(/…$/)
	expect(pieces.join('').length).toBeLessThan(170)
})

test('a long message without a match is shown from its beginning', () => {
	const body = long(100)
	expect(shown(body, body)).toEqual([expect.stringMatching(/^word0 .*…$/)])
})
