import { vi } from 'vitest'

/**
 * Retries a check until it holds. The timeout is generous, as a busy machine may delay anything; benches measure speed.
 * @throws the last error of the check, after the timeout in milliseconds
 */
export function eventually<Result>(check: () => Result | Promise<Result>, timeout = 60_000): Promise<Result> {
	return vi.waitFor(check, { timeout, interval: 20 })
}
