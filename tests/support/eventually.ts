import { vi } from 'vitest'

/**
 * Tries a check until it holds. It waits longer than anything takes: on a busy machine what is there at once alone may wait for
 * its turn, and how long things take is for the benches.
 * @throws what the check threw last, after half a minute, or so many milliseconds
 */
export function eventually<Result>(check: () => Result | Promise<Result>, timeout = 60_000): Promise<Result> {
	return vi.waitFor(check, { timeout, interval: 20 })
}
