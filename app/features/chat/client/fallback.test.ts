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

test('a socket that comes back in time is never replaced', async () => {
	fallback.start(5_000)
	await pass(4_900)
	fallback.stop()
	await pass(60_000)
	expect([asked, told, fallback.on]).toEqual([0, [], false])
})

test('a server that answers takes the place of the socket, and is asked every few seconds until the socket is there', async () => {
	fallback.start(5_000)
	await pass(5_000)
	expect([told, fallback.on]).toEqual([[true], true])
	await pass(20_000)
	expect([asked, told]).toEqual([5, [true]])
	fallback.stop()
	await pass(60_000)
	expect([asked, fallback.on]).toEqual([5, false])
})

test('a server that does not answer is away, and is noticed when it answers again', async () => {
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

test('whoever looks again is shown what is new at once, and no second round of questions begins', async () => {
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

test('whoever looks again during a poll begins no second round either', async () => {
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

test('an answer that comes after the socket has come back says nothing', async () => {
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
