import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { EmptyConversation, skillsInCommon } from './stranger.tsx'

const letters = 'abcdefghijklmno'.split('')

test.each([
	[[], ''],
	[['Go'], 'One skill in common: Go.'],
	[['Python', 'ESP32', 'Git'], 'Three skills in common: Python, ESP32, Git.'],
	[letters.slice(0, 6), 'Six skills in common, among them a, b, c, d, e.'],
	[letters, '15 skills in common, among them a, b, c, d, e.'],
])('%j is described as: %s', (skills, words) => {
	expect(skillsInCommon(skills)).toBe(words)
})

test('an empty conversation asks to say hello only to somebody who can be written to', () => {
	const peer = { username: 'bo', name: 'Bo Lind', picture: null, online: false, lastSeenAt: null }
	const textFor = (mayWrite: boolean) =>
		renderToStaticMarkup(createElement(EmptyConversation, { peer, common: ['Go'], mayWrite })).replace(/<[^>]+>/g, '')
	expect(textFor(true)).toBe('No chat found!Say hello to Bo. One skill in common: Go.')
	expect(textFor(false)).toBe('No chat found!One skill in common: Go.')
})
