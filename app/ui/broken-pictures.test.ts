import { beforeEach, expect, test, vi } from 'vitest'
import { isBrokenPicture } from './broken-pictures.tsx'

const day = 24 * 60 * 60 * 1000
let stored: string | null

beforeEach(() => {
	stored = null
	vi.stubGlobal('localStorage', { getItem: () => stored })
	return () => vi.unstubAllGlobals()
})

test('a picture that failed is remembered for seven days', () => {
	stored = JSON.stringify([['a', 0]])
	const now = vi.spyOn(Date, 'now').mockReturnValue(7 * day - 1)
	expect(isBrokenPicture('profiles/mira/a')).toBe(true)
	expect(isBrokenPicture('profiles/mira/b')).toBe(false)
	now.mockReturnValue(7 * day)
	expect(isBrokenPicture('profiles/mira/a')).toBe(false)
})

test.each([null, 'no json', '{}', 'null', '[null]'])('a memory of %s is an empty one', (text) => {
	stored = text
	expect(isBrokenPicture('profiles/mira/a')).toBe(false)
})
