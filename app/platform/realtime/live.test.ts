import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventually } from '../../../tests/support/eventually.ts'
import { keepReconnecting, type LiveSocket, openLive, withLive } from './live.ts'

/** Sockets that never connect: closing one emits nothing. */
vi.mock('socket.io-client', () => ({ io: () => Object.assign(new EventEmitter(), { disconnect: () => {} }) }))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Opens a socket that the server always refuses. @returns the number of attempts within so many seconds */
function triesOf(reason: string, seconds: number): number {
	let tries = 0
	const socket = Object.assign(new EventEmitter(), {
		active: false,
		connect: () => {
			tries += 1
			socket.emit('connect_error', new Error(reason))
		},
	})
	const stop = keepReconnecting(socket as unknown as LiveSocket)
	socket.emit('connect_error', new Error(reason))
	vi.advanceTimersByTime(seconds * 1_000)
	stop()
	const before = tries
	vi.advanceTimersByTime(seconds * 1_000)
	expect(tries, 'after it was stopped').toBe(before)
	return tries
}

test('a tab whose session has ended retries after 2 s and then once a minute', () => {
	expect(triesOf('unauthenticated', 1)).toBe(0)
	expect(triesOf('unauthenticated', 3)).toBe(1)
	expect(triesOf('unauthenticated', 59)).toBe(1)
	expect(triesOf('unauthenticated', 63)).toBe(2)
})

test('a tab whose server cannot look up sessions retries within 3 s, each time', () => {
	expect(triesOf('unavailable', 3)).toBeGreaterThanOrEqual(1)
	expect(triesOf('unavailable', 60)).toBeGreaterThanOrEqual(20)
	expect(triesOf('unavailable', 60)).toBeLessThanOrEqual(60)
})

test('listeners on the socket of an earlier login are removed before the next socket is used', async () => {
	vi.useRealTimers()
	const events: string[] = []
	let count = 0
	const stop = withLive(() => {
		count += 1
		const name = `socket ${count}`
		events.push(`uses ${name}`)
		return () => void events.push(`leaves ${name}`)
	})
	const logOut = openLive('anna')
	await eventually(() => expect(events).toEqual(['uses socket 1']))
	logOut()
	const logOutAgain = openLive('anna')
	await eventually(() => expect(events).toContain('uses socket 2'))
	expect(events).toEqual(['uses socket 1', 'leaves socket 1', 'uses socket 2'])
	logOutAgain()
	stop()
	expect(events.at(-1)).toBe('leaves socket 2')
})
