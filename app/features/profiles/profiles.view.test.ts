import { expect, test } from 'vitest'
import { paragraphs } from './profiles.view.ts'

test('an empty line separates paragraphs', () => {
	expect(paragraphs('one\ntwo\n \n\nthree\n')).toEqual(['one\ntwo', 'three'])
})
