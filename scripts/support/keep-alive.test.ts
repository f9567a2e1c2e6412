import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { eventually } from '../../tests/support/eventually.ts'
import { BackOff, keepAlive } from './keep-alive.mjs'

test('a process that keeps ending early is restarted with growing delays of at most half a minute', () => {
	const backOff = new BackOff()
	expect(Array.from({ length: 9 }, () => backOff.next(100))).toEqual([
		250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
	])
})

test('a process that was healthy is restarted at once, whatever happened before', () => {
	const backOff = new BackOff()
	backOff.next(100)
	backOff.next(100)
	expect([backOff.next(60_000), backOff.next(100)]).toEqual([250, 500])
})

test('a process that ends is restarted until this is stopped', async () => {
	const ends: (number | null)[] = []
	let starts = 0
	keepAlive(
		() => {
			starts += 1
			return spawn(process.execPath, ['-e', 'process.exit(3)'])
		},
		({ code }) => ends.push(code) < 2,
	)
	await eventually(() => expect(ends).toEqual([3, 3]))
	expect(starts).toBe(2)
})
