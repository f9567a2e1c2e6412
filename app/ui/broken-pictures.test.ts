import { beforeEach, expect, test, vi } from 'vitest'
import { isBroken } from './broken-pictures.tsx'

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
	expect(isBroken('profiles/mira/a')).toBe(true)
	expect(isBroken('profiles/mira/b')).toBe(false)
	now.mockReturnValue(7 * day)
	expect(isBroken('profiles/mira/a')).toBe(false)
})

test.each([null, 'no json', '{}', 'null', '[null]'])('a memory of %s is an empty one', (text) => {
	stored = text
	expect(isBroken('profiles/mira/a')).toBe(false)
})
