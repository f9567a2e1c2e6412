import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { comeBack, type Live } from './live.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A socket that the server refuses each time. @returns how often it tried in so many seconds */
function triesOf(reason: string, seconds: number): number {
	let tries = 0
	const socket = Object.assign(new EventEmitter(), {
		active: false,
		connect: () => {
			tries += 1
			socket.emit('connect_error', new Error(reason))
		},
	})
	const stop = comeBack(socket as unknown as Live)
	socket.emit('connect_error', new Error(reason))
	vi.advanceTimersByTime(seconds * 1_000)
	stop()
	const before = tries
	vi.advanceTimersByTime(seconds * 1_000)
	expect(tries, 'after it was stopped').toBe(before)
	return tries
}

test('a tab whose session has ended tries again after 2 s and then once a minute', () => {
	expect(triesOf('unauthenticated', 1)).toBe(0)
	expect(triesOf('unauthenticated', 3)).toBe(1)
	expect(triesOf('unauthenticated', 59)).toBe(1)
	expect(triesOf('unauthenticated', 63)).toBe(2)
})

test('a tab of a server that cannot look anybody up tries again within 3 s, each time', () => {
	expect(triesOf('unavailable', 3)).toBeGreaterThanOrEqual(1)
	expect(triesOf('unavailable', 60)).toBeGreaterThanOrEqual(20)
	expect(triesOf('unavailable', 60)).toBeLessThanOrEqual(60)
})
