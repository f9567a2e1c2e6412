import { expect, test } from 'vitest'
import { Neighbours, silence } from './processes.server.ts'

/** Checks once for every second. @returns how often a process was found dead */
function deaths(neighbours: Neighbours, from: number, to: number): number {
	let count = 0
	for (let now = from; now <= to; now += 1_000) if (neighbours.hasOneDied(now)) count += 1
	return count
}

test('a process that falls silent is found dead, once', () => {
	const neighbours = new Neighbours(0)
	neighbours.heard('one', 0)
	expect(deaths(neighbours, 1_000, silence)).toBe(0)
	expect(deaths(neighbours, silence + 1_000, 3 * silence)).toBe(1)
})

test('a process that keeps sending is not, nor one that stopped in order', () => {
	const neighbours = new Neighbours(0)
	neighbours.heard('leaving', 0)
	neighbours.left('leaving')
	for (let now = 1_000; now < 4 * silence; now += 1_000) {
		neighbours.heard('talking', now)
		expect(neighbours.hasOneDied(now)).toBe(false)
	}
})

test('a pause of this process does not count as silence of the others', () => {
	const neighbours = new Neighbours(0)
	neighbours.heard('one', 0)
	expect(neighbours.hasOneDied(3 * silence)).toBe(false)
	expect(deaths(neighbours, 3 * silence + 1_000, 4 * silence)).toBe(0)
	expect(deaths(neighbours, 4 * silence + 1_000, 5 * silence)).toBe(1)
})
