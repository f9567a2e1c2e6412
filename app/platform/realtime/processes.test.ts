import { expect, test } from 'vitest'
import { OtherProcesses, PROCESS_SILENCE_MS } from './processes.server.ts'

/** Checks once for every second. @returns how often a process was found dead */
function deaths(neighbours: OtherProcesses, from: number, to: number): number {
	let count = 0
	for (let now = from; now <= to; now += 1_000) if (neighbours.hasOneDied(now)) count += 1
	return count
}

test('a process that falls silent is found dead, once', () => {
	const neighbours = new OtherProcesses(0)
	neighbours.heard('one', 0)
	expect(deaths(neighbours, 1_000, PROCESS_SILENCE_MS)).toBe(0)
	expect(deaths(neighbours, PROCESS_SILENCE_MS + 1_000, 3 * PROCESS_SILENCE_MS)).toBe(1)
})

test('a process that keeps sending is not, nor one that stopped in order', () => {
	const neighbours = new OtherProcesses(0)
	neighbours.heard('leaving', 0)
	neighbours.left('leaving')
	for (let now = 1_000; now < 4 * PROCESS_SILENCE_MS; now += 1_000) {
		neighbours.heard('talking', now)
		expect(neighbours.hasOneDied(now)).toBe(false)
	}
})

test('a pause of this process does not count as silence of the others', () => {
	const neighbours = new OtherProcesses(0)
	neighbours.heard('one', 0)
	expect(neighbours.hasOneDied(3 * PROCESS_SILENCE_MS)).toBe(false)
	expect(deaths(neighbours, 3 * PROCESS_SILENCE_MS + 1_000, 4 * PROCESS_SILENCE_MS)).toBe(0)
	expect(deaths(neighbours, 4 * PROCESS_SILENCE_MS + 1_000, 5 * PROCESS_SILENCE_MS)).toBe(1)
})
