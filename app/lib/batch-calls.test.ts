import { expect, test } from 'vitest'
import { batchCalls } from './batch-calls.ts'

test('requests in one tick form one round, and those made meanwhile the next one', async () => {
	const rounds: number[][] = []
	let later: Promise<number> | undefined
	const twice = batchCalls(async (items: number[]) => {
		rounds.push(items)
		later ??= twice(7)
		return items.map((item) => item * 2)
	})
	expect(await Promise.all([twice(1), twice(2), twice(3)])).toEqual([2, 4, 6])
	expect(await later).toBe(14)
	expect(await twice(8)).toBe(16)
	expect(rounds).toEqual([[1, 2, 3], [7], [8]])
})

test('a round does not exceed its limit', async () => {
	const sizes: number[] = []
	const same = batchCalls(async (items: number[]) => {
		sizes.push(items.length)
		return items
	}, 2)
	expect(await Promise.all([1, 2, 3, 4, 5].map(same))).toEqual([1, 2, 3, 4, 5])
	expect(sizes).toEqual([2, 2, 1])
})

test('a failed round rejects its own requests only, and the next one runs', async () => {
	let rounds = 0
	const work = batchCalls(async (items: number[]) => {
		rounds += 1
		if (rounds === 1) throw new Error('not now')
		return items
	})
	const outcomes = await Promise.allSettled([work(1), work(2)])
	expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
	expect(await work(3)).toBe(3)
})

test('items that share a key run one after the other, and block no others', async () => {
	const rounds: string[][] = []
	const work = batchCalls(
		async (items: string[]) => {
			rounds.push(items)
			return items
		},
		3,
		(item) => [...item],
	)
	const asked = ['ab', 'bc', 'c', 'd', 'e', 'f', 'a']
	expect(await Promise.all(asked.map(work))).toEqual(asked)
	expect(rounds).toEqual([['ab', 'd', 'e'], ['bc', 'f', 'a'], ['c']])
})
