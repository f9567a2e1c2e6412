import { expect, test } from 'vitest'
import { LatestRead } from './latest-read.ts'

test('of overlapping reads, one that ends after a later one does not count; one that fails changes nothing', async () => {
	const reads = new LatestRead()
	const taken: string[] = []
	const begin = (name: string) => {
		const { promise, resolve, reject } = Promise.withResolvers<string>()
		const done = reads.run(
			() => promise,
			(result) => taken.push(result),
		)
		const end = () => {
			resolve(name)
			return done
		}
		const fail = () => {
			reject(new Error(name))
			return done
		}
		return { end, fail }
	}
	const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map(begin)
	await expect(fourth?.fail()).rejects.toThrow('fourth')
	expect([taken, reads.hasEnded]).toEqual([[], false])
	await second?.end()
	await first?.end()
	await third?.end()
	expect([taken, reads.hasEnded]).toEqual([['second', 'third'], true])
})
