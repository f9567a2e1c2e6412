import { expect, test, vi } from 'vitest'
import { gathered } from './gathered.ts'

test('what is asked for in one moment is one round, and what comes meanwhile the next one', async () => {
	const rounds: number[][] = []
	let later: Promise<number> | undefined
	const twice = gathered(async (items: number[]) => {
		rounds.push(items)
		later ??= twice(7)
		return items.map((item) => item * 2)
	})
	expect(await Promise.all([twice(1), twice(2), twice(3)])).toEqual([2, 4, 6])
	expect(await later).toBe(14)
	expect(await twice(8)).toBe(16)
	expect(rounds).toEqual([[1, 2, 3], [7], [8]])
})

test('a round holds no more than it may', async () => {
	const sizes: number[] = []
	const same = gathered(
		async (items: number[]) => {
			sizes.push(items.length)
			return items
		},
		{ most: 2 },
	)
	expect(await Promise.all([1, 2, 3, 4, 5].map(same))).toEqual([1, 2, 3, 4, 5])
	expect(sizes).toEqual([2, 2, 1])
})

test('a round that fails fails for those who asked in it, and the next one is made', async () => {
	let rounds = 0
	const work = gathered(async (items: number[]) => {
		rounds += 1
		if (rounds === 1) throw new Error('not now')
		return items
	})
	const outcomes = await Promise.allSettled([work(1), work(2)])
	expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
	expect(await work(3)).toBe(3)
})

test('items with a key in common are done one after the other, and hold up no others', async () => {
	const rounds: string[][] = []
	const work = gathered(
		async (items: string[]) => {
			rounds.push(items)
			return items
		},
		{ most: 3, keysOf: (item) => [...item] },
	)
	const asked = ['ab', 'bc', 'c', 'd', 'e', 'f', 'a']
	expect(await Promise.all(asked.map(work))).toEqual(asked)
	expect(rounds).toEqual([['ab', 'd', 'e'], ['bc', 'f', 'a'], ['c']])
})

test('as many rounds as may be are under way at once, and none with a key of another', async () => {
	const rounds: { items: string[]; end: () => void }[] = []
	const work = gathered(
		async (items: string[]) => {
			const { promise, resolve: end } = Promise.withResolvers<void>()
			rounds.push({ items, end })
			await promise
			return items
		},
		{ rounds: 2, keysOf: (item) => [...item] },
	)
	const begun = (count: number) => vi.waitFor(() => expect(rounds).toHaveLength(count))
	const answers = [work('a')]
	await begun(1)
	answers.push(work('ab'), work('c'), work('bd'))
	await begun(2)
	answers.push(work('e'))
	rounds[1]?.end()
	await begun(3)
	// Something else waits for `a` to be done: whatever came after it with a key of its own waits too.
	expect(rounds.map(({ items }) => items)).toEqual([['a'], ['c'], ['e']])
	rounds[0]?.end()
	await begun(4)
	rounds[2]?.end()
	rounds[3]?.end()
	await begun(5)
	rounds[4]?.end()
	expect(await Promise.all(answers)).toEqual(['a', 'ab', 'c', 'bd', 'e'])
	expect(rounds.slice(3).map(({ items }) => items)).toEqual([['ab'], ['bd']])
})
