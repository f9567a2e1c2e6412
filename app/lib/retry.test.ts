import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NoResponse, RETRY_LIMIT_MS, withRetries } from './retry.ts'

const browser = new EventTarget()

beforeEach(() => {
	vi.useFakeTimers()
	vi.stubGlobal('window', browser)
	vi.spyOn(Math, 'random').mockReturnValue(1)
})

afterEach(() => {
	vi.useRealTimers()
	vi.unstubAllGlobals()
})

const lost = () => Promise.reject(new TypeError('Failed to fetch'))

/** An operation that fails this many times, and the times at which it was attempted. */
function failing(times: number, answer = 'there') {
	const begin = Date.now()
	const moments: number[] = []
	const attempt = () => {
		moments.push(Date.now() - begin)
		return moments.length > times ? Promise.resolve(answer) : lost()
	}
	return { moments, attempt }
}

test('the delays grow up to 15 s, and a success ends the retries', async () => {
	const { moments, attempt } = failing(7)
	const onFailure = vi.fn()
	const result = withRetries(attempt, { onFailure })
	await vi.advanceTimersByTimeAsync(60_000)
	expect(await result).toBe('there')
	expect(moments).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 30_500, 45_500])
	expect(onFailure).toHaveBeenCalledTimes(7)
	expect(vi.getTimerCount()).toBe(0)
})

test('a quarter of each delay is random', async () => {
	vi.mocked(Math.random).mockReturnValue(0)
	const { moments, attempt } = failing(2)
	const result = withRetries(attempt)
	await vi.advanceTimersByTimeAsync(5_000)
	await result
	expect(moments).toEqual([0, 375, 1_125])
})

test('it is retried at once when the browser is online again', async () => {
	const { moments, attempt } = failing(6)
	const result = withRetries(attempt)
	await vi.advanceTimersByTimeAsync(20_000)
	browser.dispatchEvent(new Event('online'))
	await vi.advanceTimersByTimeAsync(0)
	await vi.advanceTimersByTimeAsync(30_000)
	await result
	expect(moments).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 20_000])
})

test.each([
	['what fails again and again', lost],
	['what hangs', () => new Promise<never>(() => {})],
])('%s fails after 120 s', async (_, attempt) => {
	const tried = vi.fn(attempt)
	const given = expect(withRetries(tried)).rejects.toBeInstanceOf(NoResponse)
	await vi.advanceTimersByTimeAsync(RETRY_LIMIT_MS)
	await given
	const tries = tried.mock.calls.length
	await vi.advanceTimersByTimeAsync(RETRY_LIMIT_MS)
	expect(tried).toHaveBeenCalledTimes(tries)
	expect(vi.getTimerCount()).toBe(0)
})

test('nothing is retried for a reader who left the page', async () => {
	const { moments, attempt } = failing(9)
	const left = new AbortController()
	const result = expect(withRetries(attempt, { signal: left.signal })).rejects.toThrow('left')
	await vi.advanceTimersByTimeAsync(600)
	left.abort(new Error('left'))
	await result
	await vi.advanceTimersByTimeAsync(RETRY_LIMIT_MS)
	expect(moments).toEqual([0, 500])
})

test('an error that is not a network error is thrown at once', async () => {
	await expect(withRetries(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
	expect(vi.getTimerCount()).toBe(0)
})
