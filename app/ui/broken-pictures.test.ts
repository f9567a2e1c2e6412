import { beforeEach, expect, test, vi } from 'vitest'
import { isBroken, noteBroken } from './broken-pictures.ts'

const day = 24 * 60 * 60 * 1000

beforeEach(() => {
	const kept = new Map<string, string>()
	vi.stubGlobal('localStorage', {
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => kept.set(key, value),
	})
	return () => vi.unstubAllGlobals()
})

test('a picture that failed is remembered for seven days', () => {
	const now = vi.spyOn(Date, 'now').mockReturnValue(0)
	noteBroken('/a.webp')
	expect(isBroken('/a.webp')).toBe(true)
	expect(isBroken('/b.webp')).toBe(false)
	now.mockReturnValue(7 * day - 1)
	expect(isBroken('/a.webp')).toBe(true)
	now.mockReturnValue(7 * day)
	expect(isBroken('/a.webp')).toBe(false)
})

test('the newest twenty are remembered', () => {
	for (let number = 1; number <= 21; number += 1) noteBroken(`/${number}.webp`)
	expect(isBroken('/1.webp')).toBe(false)
	expect(isBroken('/2.webp')).toBe(true)
	expect(isBroken('/21.webp')).toBe(true)
})

test.each(['no json', '{}', 'null'])('a memory of %s is an empty one', (text) => {
	localStorage.setItem('broken-pictures', text)
	expect(isBroken('/a.webp')).toBe(false)
})

test('where nothing can be stored, nothing is remembered and nothing breaks', () => {
	vi.stubGlobal('localStorage', {
		getItem: () => null,
		setItem: () => {
			throw new Error('full')
		},
	})
	noteBroken('/a.webp')
	expect(isBroken('/a.webp')).toBe(false)
})
