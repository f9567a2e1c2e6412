import { expect, test } from 'vitest'
import { skillsInCommon } from './stranger.tsx'

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
