import { expect, test } from 'vitest'
import { textOfMessage } from './chat.view.ts'

const showing = (...alts: string[]) => alts.map((alt) => ({ path: '', width: 1, height: 1, alt }))

test.each([
	['its text', 'Look at this', showing('The bench'), 'Look at this'],
	['what its pictures show', ' ', showing('The bench', '', 'The probe'), 'The bench, The probe'],
	['that there is one', '', showing(''), 'Picture'],
	['how many there are', '', showing('', ''), '2 pictures'],
	['nothing', '', [], ''],
])('a message has %s', (_what, body, pictures, words) => {
	expect(textOfMessage({ body, pictures })).toBe(words)
})
