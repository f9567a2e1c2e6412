import { expect, test } from 'vitest'
import { type Meant, splitGroups, wayOf } from './ways.ts'

const set = (...shares: number[]): Meant => ({ groups: shares.map((share, index) => ({ ids: [index + 1], share })) })
const million = { total: 1_000_000, need: 21 }

test.each([
	['half of all members', set(0.5), { ...million, order: 'joined' }, 'walk'],
	['a few of them', set(0.0001), { ...million, order: 'joined' }, 'whole'],
	['two common things that few have together', set(0.03, 0.03), { ...million, order: 'joined' }, 'blocks'],
	['three things that hardly anybody has together', set(0.15, 0.3, 0.001), { ...million, order: 'joined' }, 'whole'],
	['what looks like nobody', set(0), { ...million, order: 'joined' }, 'whole'],
	['half of all, by when they were seen', set(0.5), { ...million, order: 'seen' }, 'walk'],
	[
		'a hundredth, by when they were seen: no block is in that order',
		set(0.001),
		{ ...million, order: 'seen' },
		'whole',
	],
	['a count in any order among many', set(0.05), { total: 1_000_000, need: 201, order: null }, 'blocks'],
	['a count in any order among few', set(0.03, 0.03), { total: 1_000_000, need: 201, order: null }, 'whole'],
	['a small community', set(0.05), { total: 300, need: 21, order: 'joined' }, 'whole'],
] as const)('%s', (_, meant, reading, way) => {
	expect(wayOf(meant, reading)).toBe(way)
})

test('a common term is looked up where that spares many rows, and checked in the rows where few are left', () => {
	const idsOf = (groups: { ids: number[] }[]) => groups.flatMap(({ ids }) => ids)
	const { looked, checked } = splitGroups(set(0.3, 0.15, 0.01))
	expect([idsOf(looked), idsOf(checked)]).toEqual([[3, 2], [1]])
	expect(idsOf(splitGroups(set(0.03, 0.04)).looked)).toEqual([1, 2])
})
