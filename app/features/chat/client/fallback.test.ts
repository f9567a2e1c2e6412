import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Fallback } from './http-fallback.ts'

let answers: boolean | Error
let asked: number
let told: boolean[]
let fallback: Fallback

beforeEach(() => {
	vi.useFakeTimers()
	answers = true
	asked = 0
	told = []
	fallback = new Fallback({
		ask: async () => {
			asked += 1
			if (answers instanceof Error) throw answers
			return answers
		},
		pace: () => 5_000,
		onChange: (on) => told.push(on),
	})
})

afterEach(() => {
	fallback.stop()
	vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

test('a socket that reconnects in time is never replaced', async () => {
	fallback.start(5_000)
	await pass(4_900)
	fallback.stop()
	await pass(60_000)
	expect([asked, told, fallback.on]).toEqual([0, [], false])
})

test('HTTP replaces the socket when the server answers, and is polled every few seconds until the socket is back', async () => {
	fallback.start(5_000)
	await pass(5_000)
	expect([told, fallback.on]).toEqual([[true], true])
	await pass(20_000)
	expect([asked, told]).toEqual([5, [true]])
	fallback.stop()
	await pass(60_000)
	expect([asked, fallback.on]).toEqual([5, false])
})

test('a server that does not answer counts as unavailable until it answers again', async () => {
	answers = new Error('no network')
	fallback.start(5_000)
	await pass(20_000)
	expect([told, fallback.on]).toEqual([[], false])
	answers = true
	await pass(5_000)
	answers = false
	await pass(5_000)
	expect(told).toEqual([true, false])
})

test('returning to the tab polls at once, and starts no second poll loop', async () => {
	fallback.start(5_000)
	fallback.hurry()
	await pass(0)
	expect(asked).toBe(0)
	await pass(5_000)
	fallback.hurry()
	await pass(0)
	expect(asked).toBe(2)
	await pass(10_000)
	expect([asked, told]).toEqual([4, [true]])
})

test('returning during a poll starts no second poll loop either', async () => {
	const slow = new Fallback({
		ask: async () => {
			asked += 1
			await new Promise((resolve) => setTimeout(resolve, 100))
			return true
		},
		pace: () => 5_000,
		onChange: (on) => told.push(on),
	})
	slow.start(0)
	await pass(5_150)
	slow.hurry()
	expect(asked).toBe(3)
	await pass(5_200)
	slow.stop()
	expect(asked).toBe(4)
})

test('an answer that arrives after the socket has reconnected is ignored', async () => {
	let answer: (answered: boolean) => void = () => {}
	const slow = new Fallback({
		ask: () =>
			new Promise((resolve) => {
				answer = resolve
			}),
		pace: () => 5_000,
		onChange: (on) => told.push(on),
	})
	slow.start(0)
	await pass(0)
	slow.stop()
	answer(true)
	await pass(60_000)
	expect([told, slow.on]).toEqual([[], false])
})
